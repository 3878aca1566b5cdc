//! The user's rules: what they match, what they raise and let through, what is wrong with them.

use aish_safety::{PolicyRules, ProgramText, Surroundings, Verdict, WrittenRule, analyse, analyse_argv};

fn written(pattern: &str, verdict: &str, examples: &[&str]) -> WrittenRule {
    WrittenRule {
        pattern: pattern.into(),
        verdict: verdict.into(),
        reason: String::new(),
        examples: examples.iter().map(|example| (*example).to_owned()).collect(),
        place: "config.toml:3:1".into(),
    }
}

fn rules(list: &[(&str, &str)]) -> PolicyRules {
    let written: Vec<_> = list.iter().map(|(pattern, verdict)| written(pattern, verdict, &[])).collect();
    PolicyRules::compile(&written).unwrap()
}

#[track_caller]
fn check(rules: &PolicyRules, command: &str, expected: Verdict, rule: &str) {
    let judgement = analyse(command, &Surroundings::default(), rules).judgement;
    assert_eq!((judgement.verdict, judgement.rule.as_ref()), (expected, rule), "{command}: {}", judgement.reason);
}

#[test]
fn a_rule_raises_what_it_matches_wherever_it_stands() {
    let rules = rules(&[("curl", "halt"), ("ls", "ask"), ("git push %has:prod", "halt"), ("cd", "ask")]);
    for command in ["curl https://example.com", "sudo curl x.example", "sh -c 'curl x.example'", "ls; curl x.example"] {
        check(&rules, command, Verdict::Halt, "policy.1");
    }
    check(&rules, "ls -la", Verdict::Ask, "policy.2");
    check(&rules, "git push origin production", Verdict::Halt, "policy.3");
    check(&rules, "cd /tmp", Verdict::Ask, "policy.4");
    check(&rules, "cat README.md", Verdict::Allow, "read.show");
    check(&rules, "echo curl", Verdict::Allow, "read.print");
}

#[test]
fn a_rule_that_allows_lets_through_what_is_asked_and_never_what_halts() {
    let rules = rules(&[("cargo build|test", "allow"), ("rm", "allow"), ("touch", "allow"), ("touch secret*", "ask")]);
    check(&rules, "cargo build --release", Verdict::Allow, "policy.1");
    check(&rules, "rm notes.txt", Verdict::Allow, "policy.2");
    check(&rules, "rm -rf /srv/data", Verdict::Halt, "files.delete-recursive");
    check(&rules, "touch secret.txt", Verdict::Ask, "policy.4");
    let judge = |command: &str| analyse(command, &Surroundings::default(), &rules).judgement.verdict;
    assert_eq!(judge("touch x > /tmp/y"), Verdict::Ask, "the redirect is a part of its own");
    assert_eq!(judge("rm \"$unknown\""), Verdict::Ask, "only what is known is let through");
    assert_eq!(judge("cargo build && npm publish"), Verdict::Ask);
}

#[test]
fn argument_vectors_are_under_the_rules_too() {
    let rules = rules(&[("convert", "halt")]);
    let words: Vec<String> = ["convert", "a.png", "b.jpg"].map(String::from).to_vec();
    assert_eq!(analyse_argv(&words, &Surroundings::default(), &rules).judgement.verdict, Verdict::Halt);
}

#[test]
fn the_explanation_names_the_rule() {
    let rules = rules(&[("npm publish", "halt")]);
    let explanation = analyse("cd x && npm publish", &Surroundings::default(), &rules);
    assert!(explanation.parts.iter().any(|part| part.rule == "policy.1"), "{}", explanation.render());
}

#[test]
fn examples_are_checked_when_rules_are_loaded() {
    let good = [written("git push -f|--force", "halt", &["git push -f", "sudo git push --force x", "! git push"])];
    assert!(PolicyRules::compile(&good).is_ok());
    let bad = [written("git push -f|--force", "halt", &["git push"]), written("ls", "ask", &["! ls -l"])];
    let errors: Vec<String> = PolicyRules::compile(&bad).unwrap_err().iter().map(ToString::to_string).collect();
    assert_eq!(
        errors,
        [
            "config.toml:3:1: the rule does not match its example `git push`",
            "config.toml:3:1: the rule matches its example `! ls -l`",
        ]
    );
}

#[test]
fn what_is_wrong_with_a_rule_is_said() {
    for (pattern, verdict, message) in [
        ("", "ask", "the rule has no `match`"),
        ("ls", "", "the rule has no `verdict`; it is `allow`, `ask` or `halt`"),
        ("ls", "deny", "`deny` is no verdict; it is `allow`, `ask` or `halt`"),
        ("-f", "ask", "a pattern begins with a program's name, not with `-f`"),
        ("rm %systm", "ask", "`%systm` is no class of operands; did you mean `%system`?"),
        ("rm*", "ask", "`rm*`: programs are named whole; `*` alone stands for all of them"),
        ("*", "allow", "a rule that allows must name programs or tools"),
        ("tool:", "ask", "`tool:` is followed by a tool's name, perhaps with `*` in it"),
        ("tool:files.* -f", "ask", "`-f` cannot stand behind a tool; only `%has:TEXT` can"),
    ] {
        let errors = PolicyRules::compile(&[written(pattern, verdict, &[])]).unwrap_err();
        assert_eq!(errors[0].message, message);
        assert_eq!(errors[0].place, "config.toml:3:1");
    }
}

#[test]
fn tools_are_matched_by_name_and_arguments() {
    let rules = rules(&[("tool:files.*", "ask"), ("tool:files.write|files.append %has:/etc/", "halt")]);
    let verdict = |name: &str, arguments: &str| rules.for_tool(name, arguments).map(|rule| rule.verdict);
    assert_eq!(verdict("files.read", "{}"), Some(Verdict::Ask));
    assert_eq!(verdict("files.write", r#"{"path":"/etc/x"}"#), Some(Verdict::Halt));
    assert_eq!(verdict("other.read", "{}"), None);
}

fn own(text: &str) -> Result<PolicyRules, Vec<String>> {
    let files = [ProgramText { path: "programs/x.toml".into(), text: text.into() }];
    PolicyRules::default().with_programs(&files).map_err(|errors| errors.iter().map(ToString::to_string).collect())
}

#[test]
fn a_file_about_a_program_says_what_it_writes_to() {
    let rules = own("names = [\"cardtool\"]\nwrites = \"--card-slot save>@1\"\n").unwrap();
    check(&rules, "cardtool --card-slot /dev/sdb", Verdict::Halt, "disks.output");
    check(&rules, "cardtool save /etc/hosts", Verdict::Halt, "files.output-system");
    check(&rules, "cardtool load /etc/hosts", Verdict::Ask, "unknown");
    check(&PolicyRules::default(), "cardtool --card-slot /dev/sdb", Verdict::Ask, "unknown");
}

#[test]
fn a_file_about_a_program_raises_what_it_matches() {
    let rules = own(r#"
names = ["deploytool", "git"]
takes = "--region"

[[rule]]
id = "own.push"
halt = "publish"
on = "push %is:prod*"
reason = "pushes {targets} with {program}"
match = ["deploytool --region eu push prod-1", "git push production"]
not = ["deploytool push test"]

[[rule]]
for = ["git"]
id = "own.log"
ask = "read"
on = "log"
reason = "is asked about here"
match = ["git log"]

[[wraps]]
for = ["deploytool"]
id = "deploy-hook"
takes = "--region"
forms = [{ code = { options = "--hook", language = "shell" } }]
example = "deploytool --hook 'rm -rf /srv'"
"#)
    .unwrap();
    check(&rules, "deploytool --region eu push prod-1", Verdict::Halt, "policy.own.push");
    check(&rules, "sudo sh -c 'git push production'", Verdict::Halt, "policy.own.push");
    check(&rules, "git log -3", Verdict::Ask, "policy.own.log");
    check(&rules, "git status", Verdict::Allow, "git.read");
    check(&rules, "deploytool --hook 'rm -rf /srv/data'", Verdict::Halt, "files.delete-recursive");
    // What the built-in tables say stays: a file of one's own only adds.
    check(&rules, "git push --force origin main", Verdict::Halt, "git.push-force");
    let judged = analyse("git push production", &Surroundings::default(), &rules).judgement;
    assert!(judged.reason.contains("pushes push, production with git"), "{}", judged.reason);
}

#[test]
fn a_file_about_a_program_lets_nothing_through() {
    for (text, expected) in [
        (
            "names = [\"ls\"]\n[[rule]]\nid = \"a.b\"\nallow = \"read\"\nreason = \"r\"\nmatch = [\"ls\"]\n",
            "x.toml:3:6: a.b lets",
        ),
        ("names = [\"x\"]\ndry = \"-n\"\n", "x.toml:2:1: `dry` makes more harmless"),
        ("names = [\"x\"]\nis = [\"name-only\"]\n", "x.toml:2:1: `is` makes more harmless"),
        ("names = [\"x\"]\nplain = \"*\"\n", "x.toml:2:1: `plain` makes"),
        ("names = [\"x\"]\nnumbers = \"none\"\n", "x.toml:2:1: `numbers` makes"),
        ("names = [\"x\"]\nlocal = [\"*\"]\n", "x.toml:2:1: `local` makes"),
        ("names = [\"x\"]\n[[rule]]\nuse = \"files.rsync\"\n", "there is no rule files.rsync"),
        ("names = [\"x\"]\n[[rule]]\nid = \"a.b\"\nhalt = \"delet\"\nreason = \"r\"\n", "unknown variant"),
        ("names = 5\n", "x.toml:1:9: invalid type"),
    ] {
        let errors = own(text).unwrap_err();
        assert!(errors.iter().any(|error| error.contains(expected)), "{text}{errors:?}");
    }
}
