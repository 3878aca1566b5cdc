//! Tab with what programs say of themselves: those that are known are run for their help, others are not.

use std::time::Duration;

use crate::person::Home;

/// A program that notes its arguments beside itself, and shows help for `--help`.
const PROGRAM: &str = "#!/bin/sh\necho \"$*\" >> \"$0.ran\"\n\
    [ \"$*\" = --help ] && printf 'Usage: it [OPTIONS]\\n\\nOptions:\\n  --frugal  Takes little\\n  --frothy  Takes much\\n'\n";

fn ran(home: &Home, name: &str) -> String {
    std::fs::read_to_string(home.path(&format!("bin/{name}.ran"))).unwrap_or_default()
}

#[test]
fn options_come_from_the_help_of_programs_that_are_known() {
    let home = Home::new();
    for name in ["xh", "frobx"] {
        home.program(name, PROGRAM);
    }
    let person = home.sit_down();
    person.types("xh --fr\t").sees("--frothy  Takes much").sees("--frugal  Takes little");
    assert_eq!(ran(&home, "xh"), "--help\n");
    person.types("\u{3}").prompt();
    // It is not run again, nor is one of which nothing is known.
    person.types("xh --fru\t").ends_with("xh --frugal").types("\u{3}").prompt();
    person.types("frobx --fr\t\t").ends_with("frobx --fr").types("\u{3}").prompt();
    assert_eq!((ran(&home, "xh").as_str(), ran(&home, "frobx").as_str()), ("--help\n", ""));
    assert_eq!(person.leaves(":quit\r"), Some(0));
}

#[test]
fn what_is_behind_an_alias_is_completed_and_a_function_is_not_run() {
    let home = Home::new();
    home.program("xh", PROGRAM);
    std::fs::write(home.path(".bashrc"), "alias x=xh\neza() { echo called > \"$HOME/called\"; }\n").unwrap();
    let person = home.sit_down();
    person.runs("echo up-$((1+1))", "up-2");
    person.types("x --fru");
    // The shell tells its aliases behind its prompt; until then Tab knows nothing of them.
    for _ in 0..100 {
        person.types("\t");
        std::thread::sleep(Duration::from_millis(100));
        if person.screen().contains("x --frugal") {
            break;
        }
    }
    person.ends_with("x --frugal").types("\u{3}").prompt();
    person.types("eza --fru\t").ends_with("eza --fru").types("\u{3}").prompt();
    assert!(!home.path("called").exists());
    assert_eq!(person.leaves(":quit\r"), Some(0));
}

#[test]
fn a_rule_of_ones_own_keeps_a_program_from_being_run() {
    let home = Home::new();
    home.program("xh", PROGRAM);
    std::fs::create_dir_all(home.path(".config/aish")).unwrap();
    let rule = "[[policy.rules]]\nmatch = \"xh *\"\nverdict = \"ask\"\nreason = \"mine\"\nexamples = [\"xh --help\"]\n";
    std::fs::write(home.path(".config/aish/config.toml"), rule).unwrap();
    let person = home.sit_down();
    person.types("xh --fru\t\t").ends_with("xh --fru").types("\u{3}").prompt();
    assert_eq!(ran(&home, "xh"), "");
    assert_eq!(person.leaves(":quit\r"), Some(0));
}

#[test]
fn the_menu_fits_forty_columns() {
    let mut home = Home::new();
    home.size = (40, 15);
    let options: String =
        (0..5).map(|n| format!("  --frugal-option-{n}  {}\\n", "Takes very little of it ".repeat(4))).collect();
    home.program("xh", &format!("#!/bin/sh\nprintf 'Usage: xh [OPTIONS]\\n\\nOptions:\\n{options}'\n"));
    let person = home.sit_down();
    person.types("xh --fr\t").sees("--frugal-option-4");
    let screen = person.screen();
    let rows: Vec<&str> = screen.lines().filter(|line| line.contains("--frugal-option-")).collect();
    assert!(rows.len() >= 5 && rows.iter().all(|row| row.chars().count() <= 40), "{screen}");
    assert!(rows.iter().any(|row| row.contains("Takes")), "{screen}");
    person.types("\u{3}").prompt();
    assert_eq!(person.leaves(":quit\r"), Some(0));
}
