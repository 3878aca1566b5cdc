//! The time that an expression may take at the worst: each of these is a clear error, or is bounded by the budget.

use aish_tools::builtin::calculator::calculate;

fn main() {
    divan::main();
}

fn attacks() -> Vec<(&'static str, String)> {
    vec![
        ("attribute", "(1).__class__.__mro__[1].__subclasses__()".into()),
        ("import", "__import__('os').system('true')".into()),
        ("power tower", "9**9**9".into()),
        ("factorial tower", "9**9**9**9**9**9**9".into()),
        ("nesting", format!("{}1{}", "(".repeat(4_000), ")".repeat(4_000))),
        ("brackets without an end", "(".repeat(1024 * 1024)),
        ("a megabyte", "1+".repeat(512 * 1024) + "1"),
        ("a megabyte of digits", "9".repeat(1024 * 1024)),
        ("sines", format!("0{}", "+sin(1.1)".repeat(1_000))),
        ("harmonic", (1..1_400).map(|n| format!("1/{n}+")).collect::<String>() + "0"),
        ("products", format!("1{}", "*(3**80000)".repeat(800))),
        ("remainders", format!("0{}", "+3**80000%7**40000".repeat(500))),
        ("modular power", "pow(3, 10**9000, 10**9000+1)".into()),
        ("digits", "2**33000".into()),
    ]
}

/// The slowest of these is what an attack takes at most.
#[divan::bench(args = attacks().into_iter().map(|(name, _)| name))]
fn attack(bencher: divan::Bencher<'_, '_>, name: &str) {
    let Some((_, expression)) = attacks().into_iter().find(|(known, _)| *known == name) else { return };
    bencher.bench(|| calculate(&expression).map_err(|error| error.to_string()));
}

#[divan::bench(args = ["2 + 2", "sqrt(2)", "sin(1.5)", "0.1 + 0.2", "log(10)"])]
fn ordinary(expression: &str) -> Result<String, String> {
    calculate(expression).map_err(|error| error.to_string())
}
