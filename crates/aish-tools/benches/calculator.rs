//! The time that an expression may take at the worst: each of these is a clear error, or is bounded by the budget.

use aish_tools::builtin::calculator::calculate;

fn main() {
    divan::main();
}

fn attacks() -> Vec<(&'static str, String)> {
    vec![
        ("power tower", "9**9**9".into()),
        ("nesting", format!("{}1{}", "(".repeat(4_000), ")".repeat(4_000))),
        ("a megabyte", "1+".repeat(512 * 1024) + "1"),
        ("sines", format!("0{}", "+sin(1.1)".repeat(1_000))),
        ("harmonic", (1..1_400).map(|n| format!("1/{n}+")).collect::<String>() + "0"),
        ("products", format!("1{}", "*(3**80000)".repeat(800))),
        ("remainders", format!("0{}", "+3**80000%7**40000".repeat(500))),
        ("modular power", "pow(3, 10**9000, 10**9000+1)".into()),
        ("digits", "2**33000".into()),
    ]
}

#[divan::bench(args = 0..9)]
fn attack(bencher: divan::Bencher<'_, '_>, at: usize) {
    let Some((_, expression)) = attacks().into_iter().nth(at) else { return };
    bencher.bench(|| calculate(&expression).map_err(|error| error.to_string()));
}

#[divan::bench(args = ["2 + 2", "sqrt(2)", "sin(1.5)", "0.1 + 0.2", "log(10)"])]
fn ordinary(expression: &str) -> Result<String, String> {
    calculate(expression).map_err(|error| error.to_string())
}
