//! The specification of the two meta-tools, scenario by scenario, through a client over stdio and over HTTP.

use serde_json::{Value, json};

use crate::client::{Client, Way, file, names, over_both};

const GIT: &str = "
name: git-tools
description: Version control
command: echo
category: vcs
tags: [version-control]
tools:
  - name: git_commit
    description: Record changes to the repository
    command: commit
    args:
      - {name: message, flag: -m, required: true, description: The message}
      - {name: count, type: integer, default: 3, flag: --count}
      - {name: format, enum: [json, text, csv], default: text}
      - {name: all, type: boolean}
  - {name: git_branch, description: List branches, command: branch}
";
const DOCKER: &str = "
name: docker-tools
description: Containers
command: echo
category: containers
tags: [devops]
tools:
  - {name: docker_commit, description: Make an image from a container, command: dc}
  - {name: docker_branch, description: Nothing much about a branch, command: db}
";
const SHELL: &str = "
name: shell
command: sh -c
tools:
  - {name: echo_hello, description: Say hello, command: \"'echo hello'\"}
  - {name: script, description: Run a script, args: [{name: text, positional: true, required: true}]}
  - {name: slow, description: Wait, command: \"'echo begun; sleep 60'\", timeout: 1}
  - {name: here, description: Where, command: \"'pwd; cat'\", args: [{name: dir, cwd: true}, {name: text, stdin: true}]}
  - {name: bounded, description: Bounded, command: \"'echo $0'\", args: [{name: n, type: integer, positional: true, default: 5}]}
";

struct Fixture {
    folder: tempfile::TempDir,
    paths: Vec<String>,
}

fn fixture() -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let paths = [("git.yaml", GIT), ("docker.yaml", DOCKER), ("shell.yaml", SHELL)];
    let paths = paths.map(|(name, text)| file(&folder, name, text)).to_vec();
    Fixture { folder, paths }
}

impl Fixture {
    fn client(&self, way: Way, more: &[&str]) -> Client {
        let mut args = vec!["run"];
        args.extend(self.paths.iter().map(String::as_str));
        args.extend(more);
        Client::start_over(way, &args)
    }
}

over_both!(
    us1_1_fr001_fr002_fr004_sc007_a_query_finds_tools_with_their_whole_schema,
    us1_2_us1_3_category_and_cli_are_exact_but_for_case,
    us1_4_filters_and,
    us1_5_limit_and_offset_page_through,
    us1_6_fr003_without_filters_there_is_a_summary_capped_at_limit,
    us2_1_us2_2_fr009_fr010_a_call_runs_and_its_text_is_that_of_the_command,
    us2_3_us2_4_fr007_fr008_sc005_every_fault_of_the_arguments_is_named,
    us2_5_fr006_an_unknown_tool_is_an_error_with_five_near_names,
    us2_6_a_timeout_keeps_partial_output_and_leaves_nobody,
    us3_1_fr005_fr011_sc002_the_list_is_two_tools_whatever_is_loaded,
    us3_2_sc001_every_tool_is_found_and_called_in_two_calls,
    us4_1_us4_2_us4_3_fr012_fr014_classic_lists_every_tool_and_no_meta_tool,
    fr013_sc004_both_modes_give_the_same_text,
    fr015_a_policy_hides_describes_and_bounds,
    fr016_stdin_folder_and_defaults_work,
    edge_1_extra_keys_are_ignored,
    edge_2_compatible_types_are_coerced_and_others_refused,
    edge_3_no_match_is_an_empty_list,
    edge_4_args_may_be_null,
    edge_5_a_policy_holds_before_the_run,
    edge_6_a_tool_called_by_its_own_name_is_unknown,
);

fn us1_1_fr001_fr002_fr004_sc007_a_query_finds_tools_with_their_whole_schema(way: Way) {
    let found = fixture().client(way, &[]).search(json!({"query": "commit"}));
    assert_eq!(found["mode"], "search");
    let first = &found["results"][0];
    assert_eq!((first["tool_name"].as_str(), first["cli_name"].as_str()), (Some("git_commit"), Some("git-tools")));
    assert_eq!((first["category"].as_str(), &first["tags"]), (Some("vcs"), &json!(["version-control"])));
    let schema = &first["input_schema"];
    assert_eq!(schema["required"], json!(["message"]));
    assert_eq!(schema["properties"]["message"]["x-flag"], "-m");
    assert_eq!(schema["properties"]["count"], json!({"type": "integer", "default": 3, "x-flag": "--count"}));
    assert_eq!(schema["properties"]["format"]["enum"], json!(["json", "text", "csv"]));
    let keys: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["message", "count", "format", "all"], "in the file's order");
    assert!(names(&found).contains(&"docker_commit"));
}

fn us1_2_us1_3_category_and_cli_are_exact_but_for_case(way: Way) {
    let mut client = fixture().client(way, &[]);
    assert_eq!(names(&client.search(json!({"category": "VCS"}))), ["git_commit", "git_branch"]);
    assert_eq!(names(&client.search(json!({"cli": "Git-Tools"}))), ["git_commit", "git_branch"]);
    assert!(names(&client.search(json!({"cli": "git"}))).is_empty());
}

fn us1_4_filters_and(way: Way) {
    let found = fixture().client(way, &[]).search(json!({"query": "branch", "category": "vcs"}));
    assert_eq!(names(&found), ["git_branch"]);
}

fn us1_5_limit_and_offset_page_through(way: Way) {
    let mut client = fixture().client(way, &[]);
    let all = client.search(json!({"query": "", "limit": 100}));
    assert_eq!(all["total_matches"], 9);
    let page = client.search(json!({"query": "", "limit": 3, "offset": 2}));
    assert_eq!(names(&page), &names(&all)[2..5]);
    assert_eq!((&page["returned"], &page["offset"], &page["has_more"]), (&json!(3), &json!(2), &json!(true)));
    let refused = client.call("climax_search", json!({"limit": -1}));
    assert!(refused.is_error && refused.text.contains("'limit' must not be below 0"), "{}", refused.text);
}

fn us1_6_fr003_without_filters_there_is_a_summary_capped_at_limit(way: Way) {
    let mut client = fixture().client(way, &[]);
    let summary = client.search(json!({"query": null}));
    assert_eq!(
        summary,
        json!({"mode": "summary", "summary": [
            {"name": "git-tools", "description": "Version control", "tool_count": 2, "category": "vcs", "tags": ["version-control"]},
            {"name": "docker-tools", "description": "Containers", "tool_count": 2, "category": "containers", "tags": ["devops"]},
            {"name": "shell", "description": "", "tool_count": 5, "category": null, "tags": []},
        ]})
    );
    assert_eq!(client.search(json!({"limit": 1}))["summary"].as_array().unwrap().len(), 1);
}

fn us2_1_us2_2_fr009_fr010_a_call_runs_and_its_text_is_that_of_the_command(way: Way) {
    let mut client = fixture().client(way, &[]);
    let hello = client.run("echo_hello", json!({}));
    assert_eq!((hello.text.as_str(), hello.is_error), ("hello", false));
    assert_eq!((&hello.structured["stdout"], &hello.structured["exit_code"]), (&json!("hello\n"), &json!(0)));
    assert_eq!(hello.structured["stderr"], "");
    let commit = client.run("git_commit", json!({"message": "a b", "all": true, "count": 4}));
    assert_eq!(commit.text, "commit -m a b --count 4 --format text --all");
    let failed = client.run("script", json!({"text": "echo out; echo err >&2; exit 3"}));
    assert_eq!((failed.text.as_str(), failed.is_error), ("out\n\n[stderr]\nerr\n\n[exit code: 3]", true));
    assert_eq!(client.run("script", json!({"text": "true"})).text, "(no output)");
}

fn us2_3_us2_4_fr007_fr008_sc005_every_fault_of_the_arguments_is_named(way: Way) {
    let mut client = fixture().client(way, &[]);
    let refused = client.run("git_commit", json!({"format": "xml", "count": "zz"}));
    assert!(refused.is_error);
    for line in [
        "Missing required argument 'message'",
        "Argument 'format' must be one of: json, text, csv",
        "Argument 'count': cannot convert 'zz' to integer",
    ] {
        assert!(refused.text.contains(line), "{line} in {}", refused.text);
    }
    assert!(client.run("git_commit", json!({"message": "m", "count": 3.7})).is_error, "3.7 is no integer");
}

fn us2_5_fr006_an_unknown_tool_is_an_error_with_five_near_names(way: Way) {
    let unknown = fixture().client(way, &[]).run("git_comit", json!({}));
    assert!(unknown.is_error && unknown.text.starts_with("Unknown tool: git_comit."), "{}", unknown.text);
    assert!(unknown.text.contains("git_commit") && unknown.text.len() < 600);
    assert_eq!(unknown.text.matches(", ").count(), 4);
}

fn us2_6_a_timeout_keeps_partial_output_and_leaves_nobody(way: Way) {
    let slow = fixture().client(way, &[]).run("slow", json!({}));
    assert!(slow.is_error);
    assert_eq!(slow.text, "begun\n\n[stderr]\nCommand timed out after 1.0s\n\n[exit code: -1]");
    assert_eq!(slow.structured["exit_code"], -1);
}

fn us3_1_fr005_fr011_sc002_the_list_is_two_tools_whatever_is_loaded(way: Way) {
    let mut client = fixture().client(way, &["git", "docker", "coreutils"]);
    let result = client.request("tools/list", json!({}));
    assert!(result.to_string().len() <= 1_600, "{} bytes", result.to_string().len());
    let tools = client.tools();
    assert_eq!(client.tool_names(), ["climax_search", "climax_call"]);
    let properties: Vec<&String> = tools[0]["inputSchema"]["properties"].as_object().unwrap().keys().collect();
    assert_eq!(
        properties,
        ["query", "category", "cli", "limit", "offset", "queries", "server", "risk", "kind", "detail"]
    );
    assert_eq!(tools[0]["inputSchema"]["properties"]["limit"]["default"], 10);
    assert_eq!(tools[1]["inputSchema"]["required"], json!(["tool_name"]));
}

fn us3_2_sc001_every_tool_is_found_and_called_in_two_calls(way: Way) {
    let mut client = fixture().client(way, &[]);
    let found = client.search(json!({"query": "list branches"}));
    let name = names(&found)[0].to_owned();
    assert_eq!(client.run(&name, json!({})).text, "branch");
}

fn us4_1_us4_2_us4_3_fr012_fr014_classic_lists_every_tool_and_no_meta_tool(way: Way) {
    let mut client = fixture().client(way, &["--classic"]);
    let names = client.tool_names();
    assert_eq!(names.len(), 9);
    assert!(names.iter().all(|name| !name.starts_with("climax_")));
    let tools = client.tools();
    assert_eq!(tools[0]["annotations"]["readOnlyHint"], true);
    assert!(tools[0]["inputSchema"].to_string().find("x-flag").is_none(), "plain schemas");
    assert!(client.call("climax_search", json!({})).is_error);
}

fn fr013_sc004_both_modes_give_the_same_text(way: Way) {
    let fixture = fixture();
    let (mut meta, mut classic) = (fixture.client(way, &[]), fixture.client(way, &["--classic"]));
    for (tool, args) in [
        ("git_commit", json!({"message": "x", "format": "csv"})),
        ("git_commit", json!({})),
        ("echo_hello", json!({})),
        ("script", json!({"text": "echo a; exit 9"})),
        ("script", json!({"text": "--help"})),
    ] {
        let (a, b) = (meta.run(tool, args.clone()), classic.call(tool, args.clone()));
        assert_eq!((a.text, a.is_error), (b.text, b.is_error), "{tool} {args}");
    }
}

fn fr015_a_policy_hides_describes_and_bounds(way: Way) {
    let fixture = fixture();
    let policy = file(
        &fixture.folder,
        "policy.yaml",
        "tools:\n  git_branch: {description: Ours}\n  bounded: {args: {n: {max: 4}}}\n",
    );
    let mut client = fixture.client(way, &["--policy", &policy]);
    let all = client.search(json!({"query": ""}));
    assert_eq!(names(&all), ["git_branch", "bounded"]);
    assert_eq!(all["results"][0]["description"], "Ours");
    assert_eq!(
        client.search(json!({}))["summary"].as_array().unwrap().len(),
        2,
        "what lost all its tools is not shown"
    );
    assert!(client.run("git_commit", json!({"message": "m"})).text.starts_with("Unknown tool"));
    let refused = client.run("bounded", json!({}));
    assert_eq!(
        refused.text, "Argument validation failed:\n  - Argument 'n': value 5 exceeds maximum 4",
        "defaults count"
    );
    assert_eq!(client.run("bounded", json!({"n": 4})).text, "4");
}

fn fr016_stdin_folder_and_defaults_work(way: Way) {
    let fixture = fixture();
    let folder = fixture.folder.path().canonicalize().unwrap();
    let here = fixture.client(way, &[]).run("here", json!({"dir": folder, "text": "piped"}));
    assert_eq!(here.text, format!("{}\npiped", folder.display()));
}

fn edge_1_extra_keys_are_ignored(way: Way) {
    let extra = fixture().client(way, &[]).run("echo_hello", json!({"zz": 1}));
    assert_eq!((extra.text.as_str(), &extra.structured["ignored"]), ("hello", &json!(["zz"])));
}

fn edge_2_compatible_types_are_coerced_and_others_refused(way: Way) {
    let mut client = fixture().client(way, &[]);
    assert_eq!(client.run("bounded", json!({"n": "42"})).text, "42");
    let refused = client.run("bounded", json!({"n": "hello"}));
    assert_eq!(
        (refused.text.as_str(), refused.is_error),
        ("Argument validation failed:\n  - Argument 'n': cannot convert 'hello' to integer", true)
    );
}

fn edge_3_no_match_is_an_empty_list(way: Way) {
    let found = fixture().client(way, &[]).search(json!({"query": "qqqzzzxxx"}));
    assert_eq!((names(&found).len(), &found["total_matches"]), (0, &json!(0)));
}

fn edge_4_args_may_be_null(way: Way) {
    assert_eq!(fixture().client(way, &[]).run("echo_hello", Value::Null).text, "hello");
}

fn edge_5_a_policy_holds_before_the_run(way: Way) {
    let fixture = fixture();
    let policy = file(
        &fixture.folder,
        "policy.yaml",
        "default: enabled\ntools: {script: {args: {text: {pattern: 'echo [a-z]+'}}}}\n",
    );
    let mut client = fixture.client(way, &["--policy", &policy]);
    let marker = fixture.folder.path().join("ran");
    let refused = client.run("script", json!({"text": format!("touch {}", marker.display())}));
    assert!(refused.is_error && refused.text.contains("does not match pattern 'echo [a-z]+'"), "{}", refused.text);
    assert!(!marker.exists(), "nothing ran");
    assert_eq!(client.run("script", json!({"text": "echo fine"})).text, "fine");
}

fn edge_6_a_tool_called_by_its_own_name_is_unknown(way: Way) {
    let direct = fixture().client(way, &[]).call("echo_hello", json!({}));
    assert!(direct.is_error && direct.text.starts_with("Unknown tool: echo_hello"), "{}", direct.text);
}

#[test]
fn every_scenario_requirement_and_criterion_of_the_specification_is_named_by_a_test() {
    let tests = [include_str!("meta_tools.rs"), include_str!("peer.rs")].concat();
    let named: String = tests
        .lines()
        .filter(|line| line.starts_with("fn ") && line.contains(['(', '_']))
        .collect::<Vec<_>>()
        .join("\n");
    let scenarios = [("us1", 6), ("us2", 6), ("us3", 2), ("us4", 3), ("edge", 6)];
    let scenarios =
        scenarios.iter().flat_map(|(story, last)| (1..=*last).map(move |number| format!("{story}_{number}_")));
    let requirements = (1..=17).map(|number| format!("fr{number:03}_"));
    let criteria = (1..=7).map(|number| format!("sc{number:03}_"));
    let missing: Vec<String> =
        scenarios.chain(requirements).chain(criteria).filter(|id| !named.contains(id.as_str())).collect();
    assert_eq!(missing, Vec::<String>::new());
}
