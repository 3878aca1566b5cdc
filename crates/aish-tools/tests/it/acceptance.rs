//! The seed of the tool layer, box by box: which test shows it, in whichever crate it lives. The tests that the seed
//! itself writes down are in `seed.rs`, under its names.
//!
//! [`every_box_is_a_test`] looks that each of them is still there under its name.

use std::path::Path;

/// "Test cases", by the seed's number.
const TEST_CASES: &[(&str, &str, &[&str])] = &[
    (
        "4.1 registry",
        "crates/aish-tools/tests/it/seed.rs",
        &["test_register_tool", "test_duplicate_registration_fails"],
    ),
    ("4.2 executor", "crates/aish-tools/tests/it/seed.rs", &["test_execute_tool", "test_missing_required_param"]),
    (
        "4.3 built-in tools",
        "crates/aish-tools/tests/it/seed.rs",
        &[
            "test_calculator_basic",
            "test_calculator_functions",
            "test_calculator_rejects_unsafe",
            "test_dice_basic",
            "test_dice_keep_highest",
        ],
    ),
];

/// "Usage examples".
const USAGE: &[(&str, &str, &[&str])] = &[
    (
        "a tip, dice with the lowest dropped, the time in Tokyo",
        "crates/aish-tools/tests/it/builtins.rs",
        &["dice_say_what_fell", "time_is_told_in_any_zone"],
    ),
    ("the tip in a chat", "crates/aish-nats/tests/it/service.rs", &["tools_are_run_and_their_results_told"]),
    ("the program, as it stands", "crates/aish/tests/it/bus.rs", &["the_seeds_example_is_answered_by_a_real_model"]),
];

/// "Acceptance criteria".
const ACCEPTANCE: &[(&str, &str, &[&str])] = &[
    (
        "tool registry allows registration and unregistration",
        "crates/aish-tools/tests/it/registry.rs",
        &["the_first_owner_keeps_a_name", "the_same_owner_may_refresh_its_own", "one_of_a_source_can_be_hidden"],
    ),
    (
        "executor validates parameters",
        "crates/aish-tools/tests/it/arguments.rs",
        &["every_fault_is_named_at_once", "what_loses_nothing_is_coerced", "a_partial_parse_is_never_run"],
    ),
    ("executor handles timeouts", "crates/aish-tools/tests/it/executor.rs", &["a_timeout_is_an_outcome"]),
    (
        "calculator works with basic math",
        "crates/aish-tools/tests/it/calculator.rs",
        &["exact_where_it_can_be", "precedence_is_that_of_python", "functions_are_those_of_python"],
    ),
    (
        "and against an independent oracle",
        "crates/aish-tools/tests/it/oracle.rs",
        &["agrees_with_pythons_fractions", "agrees_with_mpmath", "agrees_with_pythons_zoneinfo"],
    ),
    (
        "time tool returns the correct timezone; dice tool handles standard notation",
        "crates/aish-tools/tests/it/builtins.rs",
        &["time_is_told_in_any_zone", "an_unknown_zone_gets_near_names", "dice_say_what_fell", "dice_are_fair"],
    ),
    (
        "the model can request tools and receives their results",
        "crates/aish-nats/tests/it/service.rs",
        &["tools_are_run_and_their_results_told", "at_the_cap_the_model_is_asked_once_more_without_tools"],
    ),
    (
        "tools are isolated",
        "crates/aish-tools/tests/it/builtins.rs",
        &["only_remember_writes", "memory_belongs_to_who_calls"],
    ),
    ("and reach nothing of the host", "crates/aish-tools/tests/it/acceptance.rs", &["built_in_tools_name_no_file"]),
    (
        "tool errors are handled gracefully",
        "crates/aish-tools/tests/it/executor.rs",
        &["a_panic_is_a_failure_of_that_call", "a_call_can_be_cancelled", "an_unknown_tool_gets_near_names"],
    ),
    (
        "those of plugins too",
        "crates/aish-nats/tests/it/bad_plugins.rs",
        &["what_a_plugin_answers_is_read_with_care", "a_hosted_tool_that_fails_answers_all_the_same"],
    ),
    (
        "no security vulnerabilities in the calculator",
        "crates/aish-tools/tests/it/calculator.rs",
        &["attacks_are_clear_errors_at_once", "errors_begin_as_in_the_seed", "never_panics", "takes_any_text"],
    ),
];

/// "Security considerations", where they go beyond the acceptance criteria.
const SECURITY: &[(&str, &str, &[&str])] = &[
    (
        "timeout on all calls; rate limiting on usage",
        "crates/aish-tools/tests/it/executor.rs",
        &["a_timeout_is_an_outcome", "a_cooldown_counts_from_the_last_success"],
    ),
    ("and of the service's users", "crates/aish-nats/tests/it/service.rs", &["limits_say_how_long_to_wait"]),
];

#[test]
fn every_box_is_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (what, file, tests) in [TEST_CASES, USAGE, ACCEPTANCE, SECURITY].into_iter().flatten() {
        let text = std::fs::read_to_string(root.join(file)).unwrap();
        for test in *tests {
            let at = text.find(&format!("fn {test}(")).unwrap_or_else(|| panic!("{what}: {file} has no test {test}"));
            let before = text[..at].trim_end().trim_end_matches("async").trim_end();
            assert!(before.ends_with(']'), "{what}: {test} is no test");
        }
    }
}

/// The built-in tools can reach a file, a process, the environment or a network only through what names one.
#[test]
fn built_in_tools_name_no_file() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/builtin")];
    let mut read = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for way in ["std::fs", "std::net", "std::process", "std::env", "std::io", "tokio::", "unsafe"] {
                assert!(!text.contains(way), "{} names {way}", path.display());
            }
            // Files are reached through the tree of `aish-files` alone, and by the tools for files.
            let is_file_tool = path.components().any(|part| part.as_os_str() == "files") || path.ends_with("files.rs");
            assert!(is_file_tool || !text.contains("aish_files"), "{} reaches files", path.display());
            read += 1;
        }
    }
    assert!(read > 10, "{read} files");
}
