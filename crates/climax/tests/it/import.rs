//! Help texts of five styles.

use climax::config;
use climax::import::{Draft, Help};

const CLAP: &str = "\
Packs things

Usage: pack [OPTIONS] <INPUT> [OUTPUT]

Arguments:
  <INPUT>   What to pack
  [OUTPUT]  Where to

Options:
  -l, --level <LEVEL>    How hard [default: 3]
      --format <FORMAT>  Which form [possible values: zip, tar]
  -q, --quiet            Say nothing
  -h, --help             Print help
";
const ARGPARSE: &str = "\
usage: prog [-h] [-v] [--out FILE] {add,list} ...

Keeps things

positional arguments:
  {add,list}
    add                 add a thing
    list                list things

options:
  -h, --help            show this help message and exit
  -o FILE, --out FILE   where to write
  -v, --verbose         say more
";
const COBRA: &str = "\
Kube does things

Usage:
  kube [command]

Available Commands:
  apply       Apply a file
  completion  Generate a script
  get         Show things

Flags:
      --context string   the context to use
  -n, --replicas int     how many
  -h, --help             help for kube
";
const CLICK: &str = "\
Usage: deploy [OPTIONS] TARGET

  Deploys a target.

Options:
  -e, --env [dev|prod]  Where to  [required]
  --dry-run             Only say what would be done.
  --help                Show this message and exit.
";
const GNU: &str = "\
Usage: sum [OPTION]... [FILE]...
Print sums of files.

  -a, --all            all of them
      --block-size=SIZE  scale sizes by SIZE
      --help     display this help and exit
";

const FIG: &str = r#"{"name":"demo","about":"Shows things","options":[],"arguments":[],"commands":[
    {"name":"volume","about":"Volumes","options":[],"arguments":[],"commands":[
        {"name":"rm","about":"Remove volumes","commands":[],
         "options":[{"flags":["-f","--force"],"about":"Do not ask","value":null,"equals":false,"required":false},
                    {"flags":["--filter"],"about":"Which","value":"filter","equals":true,"required":true},
                    {"flags":["-h","--help"],"about":"Help","value":null,"equals":false,"required":false}],
         "arguments":[{"name":"Volume Name","about":"The volume","required":true}]}]},
    {"name":"ps","about":"List processes","options":[],"arguments":[],"commands":[]}]}"#;

#[test]
fn a_specification_of_fig_is_a_valid_config() {
    let draft = climax::import::fig::draft(&FIG.replace('\n', "")).unwrap();
    let (config, faults) = config::read("fig", &draft.yaml());
    assert_eq!(faults, [], "{}", draft.yaml());
    let config = config.unwrap();
    let names: Vec<(&str, aish_types::Risk)> =
        config.tools.packed().iter().map(|tool| (tool.name.as_str(), tool.risk)).collect();
    assert_eq!(names, [("demo_volume_rm", aish_types::Risk::Destructive), ("demo_ps", aish_types::Risk::Write)]);
    let first = config.tools.get(0).unwrap();
    let args: Vec<(&str, bool)> = first.args.iter().map(|arg| (arg.name.as_str(), arg.required)).collect();
    assert_eq!(args, [("force", false), ("filter", true), ("volume_name", true)]);
    assert_eq!(first.arg("filter").unwrap().place, config::Place::Flag("--filter=".into()));
    assert_eq!(first.command, ["volume", "rm"]);
    assert!(climax::import::fig::draft("{}").is_err());
}

/// Runs `import-fig` with the Node.js of the tests; none when there is no Node.js, and the test is counted as skipped.
fn import_fig(package: &std::path::Path, output: &std::path::Path) -> Option<std::process::Output> {
    let tests =
        std::env::var_os("AISH_TEST_NODE").map(|folder| std::path::Path::new(&folder).join("node_modules/.bin"));
    let path = std::env::var_os("PATH").unwrap();
    let folders: Vec<std::path::PathBuf> = tests.into_iter().chain(std::env::split_paths(&path)).collect();
    if !folders.iter().any(|folder| folder.join("node").exists()) {
        if let Some(list) = std::env::var_os("AISH_TEST_SKIPPED") {
            let mut list = std::fs::OpenOptions::new().append(true).create(true).open(list).unwrap();
            std::io::Write::write_all(&mut list, b"import-fig: needs Node.js (./test installs it)\n").unwrap();
        }
        return None;
    }
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_climax"));
    command.arg("import-fig").arg(package).arg("--output").arg(output);
    Some(command.env("PATH", std::env::join_paths(folders).unwrap()).output().unwrap())
}

#[test]
fn a_package_of_fig_is_run_and_read() {
    let folder = tempfile::tempdir().unwrap();
    let build = folder.path().join("build");
    std::fs::create_dir_all(build.join("demo")).unwrap();
    for (name, text) in [
        ("../package.json", r#"{"type": "module"}"#),
        ("index.js", r#"export default ["demo", "demo/part", "broken", "@scope/tool"];"#),
        (
            "demo.js",
            r#"export default {name: ["demo", "d"], description: "A \"demo\"", subcommands: [
            {name: "part", loadSpec: "demo/part"}, {name: "go", args: {name: "where", isOptional: true, generators: () => []}}]};"#,
        ),
        ("demo/part.js", r#"export default {name: "part", description: "A part", options: [{name: "-x", args: {}}]};"#),
        ("broken.js", "export default nothing;"),
    ] {
        std::fs::write(build.join(name), text).unwrap();
    }
    let output = folder.path().join("configs");
    let Some(ran) = import_fig(folder.path(), &output) else { return };
    let told = String::from_utf8(ran.stderr).unwrap();
    assert!(ran.status.success(), "{told}");
    assert!(told.contains("2 specifications could not be read") && told.contains("2 tools in 1 files"), "{told}");
    let (config, faults) = config::read("demo", &std::fs::read_to_string(output.join("demo.yaml")).unwrap());
    assert_eq!(faults, []);
    let config = config.unwrap();
    assert_eq!(config.tool("demo_part").unwrap().description, "A part");
    assert!(!config.tool("demo_go").unwrap().arg("where").unwrap().required);
    let nowhere = import_fig(&output, &output).unwrap();
    assert!(!nowhere.status.success());
}

#[test]
fn the_whole_package_of_fig_is_more_than_ten_thousand_tools() {
    let Some(node) = std::env::var_os("AISH_TEST_NODE") else { return };
    let package = std::path::Path::new(&node).join("node_modules/@withfig/autocomplete");
    if !package.exists() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let Some(ran) = import_fig(&package, folder.path()) else { return };
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let mut sources = climax::load::Source::find(folder.path().to_str().unwrap()).unwrap();
    assert!(sources.len() > 500, "{}", sources.len());
    // The five largest make two thirds of all, and a build for debugging would take a minute over them.
    sources.retain(|source| std::fs::metadata(&*source.name()).unwrap().len() < 200_000);
    let loaded = climax::load::load(&sources);
    let errors = loaded.faults.iter().filter(|fault| fault.severity == climax::Severity::Error);
    assert_eq!(errors.map(ToString::to_string).collect::<Vec<_>>(), Vec::<String>::new());
    let policy = std::sync::Arc::new(climax::Policy::default());
    let catalogue = climax::Catalogue::new(loaded.configs, policy, climax::schema::Flags::Shown);
    assert!(catalogue.definitions().len() > 10_000, "{}", catalogue.definitions().len());
}

fn commands(help: &Help) -> Vec<(&str, &str)> {
    help.commands.iter().map(|command| (command.name.as_str(), command.shown.about.as_str())).collect()
}

fn flags(help: &Help) -> Vec<(&str, bool)> {
    help.options.iter().map(|option| (option.flag.as_str(), option.value.is_some())).collect()
}

#[test]
fn five_styles_are_read() {
    let clap = Help::read(CLAP, &["pack"]);
    assert_eq!(clap.about, "Packs things");
    assert_eq!(flags(&clap), [("--level", true), ("--format", true), ("--quiet", false)]);
    assert_eq!(clap.options[1].choices, ["zip", "tar"]);
    let names: Vec<(&str, bool)> = clap.positionals.iter().map(|p| (p.name.as_str(), p.required)).collect();
    assert_eq!(names, [("input", true), ("output", false)]);

    let argparse = Help::read(ARGPARSE, &["prog"]);
    assert_eq!(argparse.about, "Keeps things");
    assert_eq!(commands(&argparse), [("add", "add a thing"), ("list", "list things")]);
    assert_eq!(flags(&argparse), [("--out", true), ("--verbose", false)]);

    let cobra = Help::read(COBRA, &["kube"]);
    assert_eq!(commands(&cobra), [("apply", "Apply a file"), ("get", "Show things")]);
    assert_eq!(flags(&cobra), [("--context", true), ("--replicas", true)]);

    let click = Help::read(CLICK, &["deploy"]);
    assert_eq!(click.about, "Deploys a target.");
    assert_eq!(flags(&click), [("--env", true), ("--dry-run", false)]);
    assert!(click.options[0].required);
    assert_eq!(click.options[0].choices, ["dev", "prod"]);
    assert_eq!(click.positionals[0].name, "target");

    let gnu = Help::read(GNU, &["sum"]);
    assert_eq!(gnu.about, "Print sums of files.");
    assert_eq!(flags(&gnu), [("--all", false), ("--block-size=", true)]);
    assert_eq!((gnu.positionals[0].name.as_str(), gnu.positionals[0].required), ("file", false));
}

#[test]
fn a_draft_is_a_valid_config() {
    let mut draft = Draft::new("/opt/my tools/kube", &Help::read(COBRA, &["kube"]));
    draft.add(&["delete-all".into()], &Help::read(CLAP, &["pack"]));
    draft.add(&["get".into()], &Help::read(GNU, &["sum"]));
    draft.add(&["apply".into()], &Help::read(CLICK, &["deploy"]));
    let (config, faults) = config::read("draft", &draft.yaml());
    assert_eq!(faults, [], "{}", draft.yaml());
    let config = config.unwrap();
    let risks: Vec<(&str, aish_types::Risk)> =
        config.tools.packed().iter().map(|tool| (tool.name.as_str(), tool.risk)).collect();
    assert_eq!(
        risks,
        [
            ("kube_delete_all", aish_types::Risk::Destructive),
            ("kube_get", aish_types::Risk::Write),
            ("kube_apply", aish_types::Risk::Write),
        ]
    );
    assert_eq!(climax::expand::command(&config.command, &|_: &str| None), ["/opt/my tools/kube"]);
    assert_eq!(config.tools.get(0).unwrap().arg("format").unwrap().choices.len(), 2);
}
