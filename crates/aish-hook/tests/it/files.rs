//! Our entries in agents' files: put in, found, taken out, and nothing else touched.

use std::path::Path;

use aish_hook::agent::{Agent, Comments, Form};
use aish_hook::edit::{EditError, Edited, find, install, uninstall};
use proptest::prelude::*;

const PROGRAM: &str = "/opt/my tools/aish";

fn agents() -> impl Iterator<Item = Agent> {
    Agent::ALL.into_iter().filter(|agent| agent.form() != Form::Module)
}

fn text(edited: Edited) -> Option<String> {
    match edited {
        Edited::Same => None,
        Edited::Text(text) | Edited::Empty(text) => Some(text),
    }
}

fn installed(agent: Agent, old: &str) -> String {
    text(install(old, agent, Comments::Read, Path::new(PROGRAM)).unwrap()).expect("something was put in")
}

/// Files as people have them: other hooks, comments, tabs, Windows line ends, one line, nothing.
const FILES: &[&str] = &[
    "",
    "{}",
    "{}\n",
    "{\n}\n",
    "{\"model\":\"opus\"}",
    "{\n  \"model\": \"opus\",\n  \"permissions\": {\n    \"allow\": [\"Bash(ls:*)\"]\n  }\n}\n",
    "{\n\t\"theme\": \"dark\",\n\t\"env\": {\"A\": \"1\"}\n}\n",
    "{\r\n  \"theme\": \"dark\"\r\n}\r\n",
    "{\n    \"hooks\": {}\n}\n",
    "{\n  \"hooks\": {\n    \"PreToolUse\": []\n  }\n}\n",
    "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"/usr/bin/check\" }\n        ]\n      }\n    ]\n  },\n  \"after\": 1\n}\n",
    "{\n  // mine\n  \"hooks\": {\n    /* others */\n    \"PostToolUse\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"fmt\" }] }\n    ] // last\n  }\n}\n",
    "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"say done\"}]}]},\"x\":[1,2,3]}",
    "{\n  \"version\": 1,\n  \"hooks\": {\n    \"afterFileEdit\": [{ \"command\": \"./fmt.sh\" }]\n  }\n}\n",
    "{\n  \"unicode\": \"äöü \\u00e9 日本\",\n  \"n\": 1e9,\n  \"big\": 12345678901234567890123\n}\n",
    "\u{feff}{\n  \"bom\": true\n}\n",
    "{\n  \"a\": [\n    1,\n    2,\n  ],\n}\n",
    "   \n\n",
];

#[test]
fn what_was_put_in_is_found_and_a_second_time_changes_nothing() {
    for agent in agents() {
        for old in FILES {
            let new = installed(agent, old);
            assert_eq!(
                install(&new, agent, Comments::Read, Path::new(PROGRAM)).unwrap(),
                Edited::Same,
                "{agent:?} {old:?}"
            );
            let own = find(&new, agent, Comments::Read, None).unwrap();
            assert!(!own.is_empty() && own.iter().all(|own| own.program == Path::new(PROGRAM)), "{agent:?} {old:?}");
        }
    }
}

#[test]
fn uninstalling_leaves_the_same_values_and_nothing_of_ours() {
    for agent in agents() {
        for old in FILES {
            let back = text(uninstall(&installed(agent, old), agent, Comments::Read, None).unwrap()).unwrap();
            assert!(!back.contains("aish"), "{agent:?}: {back}");
            assert_eq!(values(&back), expected(old, agent), "{agent:?} {old:?}\n{back}");
        }
    }
}

#[test]
fn a_file_of_several_lines_comes_back_byte_by_byte() {
    for agent in agents() {
        for old in FILES.iter().filter(|old| {
            old.contains(":") && old.contains('\n') && !old.contains("\"hooks\": {}") && !old.contains("[]")
        }) {
            if matches!(agent, Agent::Cursor | Agent::Copilot) && !old.contains("version") {
                continue;
            }
            let back = text(uninstall(&installed(agent, old), agent, Comments::Read, None).unwrap()).unwrap();
            assert_eq!(&back, old, "{agent:?}");
        }
    }
}

/// Reads a text with comments, trailing commas and a mark as a value.
fn values(text: &str) -> serde_json::Value {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return serde_json::json!({});
    }
    jsonc_parser::cst::CstRootNode::parse(text, &jsonc_parser::ParseOptions::default())
        .unwrap()
        .to_serde_value()
        .unwrap()
}

/// What stays of a file: empty lists and objects of hooks that our entries stood in go with them.
fn expected(old: &str, agent: Agent) -> serde_json::Value {
    let mut value = values(old);
    let object = value.as_object_mut().unwrap();
    if matches!(agent, Agent::Cursor | Agent::Copilot) {
        object.entry("version").or_insert(1.into());
    }
    if let Some(hooks) = object.get_mut("hooks").and_then(|hooks| hooks.as_object_mut()) {
        let name = agent.event_name(aish_hook::agent::Event::Before).unwrap();
        if hooks.get(name).is_some_and(|list| list.as_array().is_some_and(Vec::is_empty)) {
            hooks.remove(name);
        }
        if hooks.is_empty() {
            object.remove("hooks");
        }
    }
    value
}

#[test]
fn a_moved_program_is_written_anew_and_doubles_go() {
    let old = installed(Agent::Claude, "{}");
    let new = text(install(&old, Agent::Claude, Comments::Refused, Path::new("/usr/bin/aish")).unwrap()).unwrap();
    assert!(!new.contains(PROGRAM));
    assert_eq!(find(&new, Agent::Claude, Comments::Refused, None).unwrap().len(), 4);
    let double = old.replacen(
        "\"hooks\": [",
        "\"hooks\": [{\"type\":\"command\",\"command\":\"aish hook run claude PreToolUse\"},",
        2,
    );
    let single = text(install(&double, Agent::Claude, Comments::Refused, Path::new(PROGRAM)).unwrap()).unwrap();
    let found = find(&single, Agent::Claude, Comments::Refused, None).unwrap();
    assert_eq!(found.len(), 4, "{single}");
}

#[test]
fn what_cannot_be_edited_is_said_with_its_place() {
    let refuse = |text: &str| install(text, Agent::Claude, Comments::Refused, Path::new(PROGRAM)).unwrap_err();
    let EditError::Syntax { line, column, .. } = refuse("{\n  \"a\": 1,,\n}") else { panic!("no syntax error") };
    assert_eq!((line, column), (2, 10));
    let commented =
        install("{\n  // mine\n  \"a\": 1,,\n}", Agent::Gemini, Comments::Read, Path::new(PROGRAM)).unwrap_err();
    assert!(matches!(commented, EditError::Syntax { line: 3, .. }), "{commented}");
    assert!(matches!(refuse("{ // no comments here\n}"), EditError::Syntax { .. }));
    assert_eq!(refuse("[]").to_string(), "`the file` is not a JSON object");
    assert_eq!(refuse("{\"hooks\": []}").to_string(), "`hooks` is not an object");
    assert_eq!(refuse("{\"hooks\": {\"PreToolUse\": {}}}").to_string(), "`hooks.PreToolUse` is not an array");
    assert_eq!(refuse(&" ".repeat((4 << 20) + 1)), EditError::TooLarge);
    assert!(matches!(refuse(&"[".repeat(100_000)), EditError::Syntax { .. }));
}

#[test]
fn the_entries_of_each_agent() {
    let mut all = String::new();
    for agent in agents() {
        let new = text(install("{}\n", agent, Comments::Refused, Path::new("/usr/bin/aish")).unwrap()).unwrap();
        // The order of the fields of one entry is not said: it depends on how the program was built.
        let mut lines: Vec<&str> = new.lines().map(|line| line.trim().trim_end_matches(',')).collect();
        lines.retain(|line| line.contains(':'));
        let mut groups: Vec<Vec<&str>> = lines
            .split_inclusive(|line| line.contains("command\":") || line.contains("bash\":"))
            .map(<[_]>::to_vec)
            .collect();
        groups.iter_mut().for_each(|group| group.sort_unstable());
        let mut flat: Vec<&str> = groups.concat();
        flat.sort_unstable();
        all.push_str(&format!("{}\n  {}\n", agent.name(), flat.join("\n  ")));
    }
    insta::assert_snapshot!(all);
}

proptest! {
    #[test]
    fn any_text_is_edited_or_refused(old in "[\\[\\]{}\":, a-z0-9/*\\n\\\\]{0,80}", which in 0..8usize) {
        let agent = agents().nth(which).unwrap();
        if let Ok(Edited::Text(new)) = install(&old, agent, Comments::Read, Path::new(PROGRAM)) {
            prop_assert!(!find(&new, agent, Comments::Read, None).unwrap().is_empty());
            uninstall(&new, agent, Comments::Read, None).unwrap();
        }
    }
}
