//! The risk of what was imported: nothing runs unasked that is not known to read.

use climax::config;
use climax::import::{Draft, Help};
use serde_json::json;

use crate::client::{Client, Way, file, over_both};

over_both!(a_judged_tool_runs_unasked_where_its_command_line_is_known_to_read, a_persons_own_word_stays_valid);

/// A program of which the judgement knows the words, and which only shows them here.
const CONFIG: &str = "
name: j
command: git
options_first: true
tools:
  - name: branch
    description: Branches
    command: branch
    risk: judged
    args: [{name: list, type: boolean}, {name: name, positional: true}]
  - {name: version, description: Reads, command: version, risk: read}
";

fn a_judged_tool_runs_unasked_where_its_command_line_is_known_to_read(way: Way) {
    let folder = tempfile::tempdir().unwrap();
    let git =
        |words: &[&str]| std::process::Command::new("git").current_dir(folder.path()).args(words).status().unwrap();
    assert!(git(&["init", "--quiet"]).success());
    let config = file(&folder, "j.yaml", &format!("{CONFIG}working_dir: {}\n", folder.path().display()));
    let mut client = Client::start_over(way, &[&config]);
    let read = client.run("branch", json!({"list": true}));
    assert!(!read.is_error, "{}", read.text);
    let written = client.run("branch", json!({"name": "x"}));
    assert!(written.is_error && written.text.contains("changes a repository"), "{}", written.text);
    let mut asking = Client::start_asking(way, &[&config], "decline");
    assert!(asking.run("branch", json!({"name": "x"})).is_error);
    assert_eq!(asking.asked.len(), 1);
}

fn a_persons_own_word_stays_valid(way: Way) {
    let folder = tempfile::tempdir().unwrap();
    let text = "name: own\ncommand: echo\ntools:\n  - {name: say, description: d, command: fix, risk: read}\n  \
                - {name: guess, description: d, command: fix, risk: judged}\n";
    let unknown = text.replace("command: echo", "command: ./own.sh");
    let script = file(&folder, "own.sh", "#!/bin/sh\necho \"$1\"\n");
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let config = file(&folder, "own.yaml", &unknown);
    let mut client = Client::start_over(way, &[&config]);
    assert_eq!(client.run("say", json!({})).text, "fix");
    assert!(client.run("guess", json!({})).is_error, "what is not known asks");
    let policy = file(&folder, "p.yaml", "default: enabled\napproval: {tools: {guess: false}}\n");
    let mut allowed = Client::start_over(way, &[&config, "--policy", &policy]);
    assert_eq!(allowed.run("guess", json!({})).text, "fix");
}

/// Says what an import makes of a tool's risk.
fn risk(program: &str, words: &[&str], text: &str) -> String {
    let whole: Vec<&str> = std::iter::once(program).chain(words.iter().copied()).collect();
    let listing = Help::read("Usage: x COMMAND\n\nCommands:\n  a  b\n", &[program]);
    let mut draft = Draft::new(program, &listing);
    if words.is_empty() {
        draft = Draft::new(program, &Help::read(text, &whole));
    }
    draft.add(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>(), &Help::read(text, &whole));
    let yaml = draft.yaml();
    let (config, faults) = config::read("d", &yaml);
    assert_eq!(faults, [], "{yaml}");
    assert!(config.unwrap().tools.iter().all(|tool| tool.risk != aish_types::Risk::Read), "{yaml}");
    yaml.lines().find_map(|line| line.trim().strip_prefix("risk: ")).unwrap().to_owned()
}

#[test]
fn nothing_is_guessed_to_read() {
    for (program, words, text, expected) in [
        ("npm", &["version"][..], "Bump a package version\n\nUsage:\nnpm version [<newversion>]\n", "write"),
        (
            "ruff",
            &["check"],
            "Run Ruff\n\nUsage: ruff check [OPTIONS]\n\nOptions:\n      --fix  Apply fixes\n",
            "write",
        ),
        ("terraform", &["get"], "Usage: terraform get\n\n  Downloads and installs modules\n", "write"),
        (
            "kubectl",
            &["cluster-info", "dump"],
            "Dump information\n\nOptions:\n    --output-directory='':\n\tWhere to output the files\n\nUsage:\n  kubectl cluster-info dump\n",
            "write",
        ),
        ("git", &["status"], "usage: git status [<options>]\n\n    -s, --short  show status\n", "judged"),
        ("grep", &[], "Usage: grep [OPTION]... PATTERNS\n\n  --exclude-dir=GLOB  skip directories\n", "judged"),
        ("git", &["branch"], "usage: git branch [<options>]\n\n    --list  list branches\n", "judged"),
        ("git", &["log"], "usage: git log [<options>]\n\n    --output=<file>  Output to a file\n", "judged"),
        ("nobody-knows", &["list"], "Lists things\n\nUsage: nobody-knows list\n", "judged"),
        (
            "nobody-knows",
            &["list"],
            "Lists things\n\nUsage: nobody-knows list\n\nOptions:\n  --prune  Forget\n",
            "write",
        ),
        ("nobody-knows", &["rm"], "Removes things\n\nUsage: nobody-knows rm\n", "destructive"),
        ("kubectl", &["drain"], "Drain a node\n\nUsage:\n  kubectl drain NODE\n", "destructive"),
    ] {
        assert_eq!(risk(program, words, text), expected, "{program} {words:?}");
    }
}
