//! Lines that write, run, send or show secrets through an option, an operand, a variable or settings: none is allowed.

use aish_safety::{Surroundings, Verdict, brought};

use crate::analysed::judge_command;

const LINES: &str = include_str!("effects.txt");

/// Scripts of awk and sed and statements of SQL as people write them every day, which have no effect.
const EVERYDAY: &str = include_str!("everyday.txt");

fn around() -> Surroundings {
    Surroundings { folder: Some("/home/ana/w".into()), home: Some("/home/ana".into()), ..Surroundings::default() }
}

#[test]
fn a_line_with_an_effect_is_never_allowed() {
    let allowed: Vec<String> = LINES
        .lines()
        .filter_map(|line| {
            let judgement = judge_command(line, &around());
            (judgement.verdict == Verdict::Allow).then(|| format!("{line} ({})", judgement.rule))
        })
        .collect();
    assert!(LINES.lines().count() >= 300);
    assert!(allowed.is_empty(), "{} allowed\n{}", allowed.len(), allowed.join("\n"));
}

#[test]
fn everyday_scripts_and_statements_are_allowed() {
    let asked: Vec<String> = EVERYDAY
        .lines()
        .filter_map(|line| {
            let judgement = judge_command(line, &around());
            (judgement.verdict != Verdict::Allow).then(|| format!("{line} ({})", judgement.rule))
        })
        .collect();
    assert!(EVERYDAY.lines().count() >= 80);
    assert!(asked.is_empty(), "{} asked\n{}", asked.len(), asked.join("\n"));
}

/// What runs its input or destroys halts, however the script is written.
#[test]
fn a_script_that_destroys_halts() {
    for line in [
        "awk 'BEGIN { system (\"rm -rf /srv/data\") }'",
        "awk '{gsub(/\"/,\"\"); system(\"rm -rf /srv/data\")} #\"' f",
        "awk '/\\//{print | \"sh\"}' f",
        "awk '{print |& \"sh\"}' f",
        "awk 'BEGIN{\"rm -rf /srv/data\" |& getline}'",
        "sed 'y/[/]/;e rm -rf /srv/data' f",
        "sed '\\]x\\]p;#]!e rm -rf /srv/data' f",
        "sed $'#a\\\\\\ne rm -rf /srv/data' f",
        "sed $'a foo\\\\\\\\\\ne rm -rf /srv/data' f",
        "psql -c '\\dt \\! rm -rf /srv/data'",
        "psql -c 'select \"f\"(); drop table t'",
    ] {
        let judgement = judge_command(line, &around());
        assert_eq!(judgement.verdict, Verdict::Halt, "{line}: {}", judgement.rule);
    }
}

#[test]
fn settings_that_a_folder_brings_make_a_question_of_what_reads_them() {
    let with = |files: &[&str], command: &str| {
        let exists = |path: &str| files.contains(&path);
        let brought = brought("/home/ana/w", &exists);
        judge_command(command, &Surroundings { brought, ..around() }).verdict
    };
    for (files, command) in [
        (&["/home/ana/w/.cargo/config.toml"][..], "cargo locate-project"),
        (&["/home/ana/rust-toolchain.toml"], "cargo --version"),
        (&["/home/ana/w/go.mod"], "go version"),
        (&["/home/ana/w/go.mod"], "go env GOPATH"),
        (&["/home/ana/w/.venv"], "uv pip list"),
        (&["/home/ana/w/mise.toml"], "mise ls"),
        (&["/home/ana/w/.tool-versions"], "asdf current"),
        (&["/home/ana/w/rust-toolchain"], "rustc --print sysroot"),
        (&["/home/ana/w/.yarnrc.yml"], "yarn list"),
        (&["/home/ana/w/Vagrantfile"], "vagrant status"),
        (&["/home/ana/w/pyproject.toml"], "poetry show"),
        (&["/home/ana/pyproject.toml"], "pdm list"),
        (&["/home/ana/w/HEAD", "/home/ana/w/config", "/home/ana/w/objects"], "git status"),
    ] {
        assert_eq!(with(files, command), Verdict::Ask, "{command} with {files:?}");
        assert_eq!(with(&["/home/ana/w/README.md"], command), Verdict::Allow, "{command}");
    }
    // An ordinary repository has none of these files beside one another.
    assert_eq!(with(&["/home/ana/w/config"], "git status"), Verdict::Allow);
}

/// What a confined command finds empty is asked about where it is only judged: one list, two uses.
#[test]
fn what_is_hidden_from_a_held_command_is_asked_about() {
    use aish_types::secret_files::{AT_HOME, ELSEWHERE};
    let around = Surroundings { home: Some("/home/ana".into()), ..Surroundings::default() };
    let named = |place: &&str| place.replace('*', "x");
    let places: Vec<String> = AT_HOME
        .iter()
        .flat_map(|place| ["~", "/home/ana", "/home/bob", "/root"].map(|home| format!("{home}/{}", named(place))))
        .chain(ELSEWHERE.iter().map(named))
        .collect();
    for place in places {
        for line in [format!("cat {place}"), format!("grep x {place}/below"), format!("cat < {place}")] {
            let judgement = judge_command(&line, &around);
            assert_ne!(judgement.verdict, Verdict::Allow, "{line}: {}", judgement.rule);
        }
    }
}

/// What is near such places and known to hold no secret is still shown without a question.
#[test]
fn what_is_known_to_be_harmless_is_shown() {
    let around = Surroundings { home: Some("/home/ana".into()), ..Surroundings::default() };
    for line in [
        "cat ~/.ssh/id_ed25519.pub",
        "cat ~/.bashrc",
        "cat .claude/settings.json",
        "cat ~/project/.codex/config.toml",
        "cat ~/.config/nvim/init.lua",
        "cat /proc/cpuinfo",
        "cat /proc/self/status",
        "cat /proc/1/status",
        "grep MemFree /proc/meminfo",
        "cat /proc/sys/kernel/hostname",
        "cat /sys/class/net/eth0/address",
        "head -c 8 /dev/urandom",
        "ls /dev",
        "ls -l /proc/self/fd",
        "ls -l /dev/sda",
        "stat /dev/sda",
        "cat /etc/docker.conf",
    ] {
        let judgement = judge_command(line, &around);
        assert_eq!(judgement.verdict, Verdict::Allow, "{line}: {}", judgement.rule);
    }
}
