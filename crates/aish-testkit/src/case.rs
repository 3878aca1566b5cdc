//! End-to-end cases as YAML: a scripted model, a configuration, a command line or keys in a terminal, and what must come of it.
//!
//! ```yaml
//! - name: a question is answered
//!   model: { steps: [{ reply: { text: "Paris." } }] }
//!   run: [ask, "capital of France?"]
//!   stdout: "Paris.\n"
//!   exit: 0
//! - name: a command in the terminal
//!   keys:
//!     - { type: "echo hi\r", wait: ["\nhi\n"], last: "❯" }
//! ```

mod audit;

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::model_server::{ModelServer, RecordedRequest, Script};
use crate::skip::is_missing;
use crate::terminal::TerminalSession;

/// Longer than anything takes that is not hung.
const HUNG: Duration = Duration::from_secs(60);

/// One case.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    /// A program that is not ours, without which the case is skipped.
    needs: Option<String>,
    /// The scripted model, as in [`Script::from_value`]; without one there is no endpoint.
    model: Option<Value>,
    /// The text of the configuration; `{model}` stands for the endpoint.
    #[serde(default)]
    config: String,
    /// Files of the working folder.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// Further variables; `{model}` stands for the endpoint, `{aish}` for the program.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// Arguments of runs that come first, in the same folders; whatever comes of them.
    #[serde(default)]
    before: Vec<Vec<String>>,
    /// Arguments of runs that come last; each must end well.
    #[serde(default)]
    after: Vec<Vec<String>>,
    /// Arguments of a run without a terminal, which comes before the one in a terminal where a case has both.
    run: Option<Vec<String>>,
    #[serde(default)]
    stdin: String,
    stdout: Option<String>,
    #[serde(default)]
    stdout_has: Vec<String>,
    #[serde(default)]
    stderr_has: Vec<String>,
    #[serde(default)]
    stderr_lacks: Vec<String>,
    /// Keys of a run in a terminal.
    keys: Option<Vec<Key>>,
    /// Whether a run in a terminal is the first one, which says what it found.
    #[serde(default)]
    first_start: bool,
    /// Arguments of the run in a terminal.
    #[serde(default)]
    arguments: Vec<String>,
    exit: Option<i32>,
    /// Texts that files, by their paths below the home folder, must have at the end.
    #[serde(default)]
    home_has: BTreeMap<String, Vec<String>>,
    /// Paths below the home folder where nothing may be at the end.
    #[serde(default)]
    home_lacks: Vec<String>,
    /// All lines of the audit, in order, each with at least these fields.
    audit: Option<Vec<Map<String, Value>>>,
    /// Texts that the last request to the model must have in its body.
    #[serde(default)]
    request_has: Vec<String>,
    /// Texts that it must not have.
    #[serde(default)]
    request_lacks: Vec<String>,
    /// Whether each completion's body must begin with all of the one before, up to the end of its messages.
    #[serde(default)]
    requests_grow: bool,
}

/// One step in a terminal.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Key {
    /// Typed as it stands.
    r#type: Option<String>,
    /// Waits until the screen shows all of these.
    #[serde(default)]
    wait: Vec<String>,
    /// Waits until the last line that shows anything has this.
    last: Option<String>,
    /// Must not be on the screen then.
    #[serde(default)]
    lacks: Vec<String>,
}

/// Runs every case of a YAML text against a program and returns what failed, a text each.
///
/// Each case has a home folder and a working folder of its own.
pub fn run_cases(text: &str, program: &Path) -> Vec<String> {
    run_some(text, program, &mut |_| true)
}

/// Runs those cases of a YAML text whose names are wanted.
pub fn run_some(text: &str, program: &Path, is_wanted: &mut dyn FnMut(&str) -> bool) -> Vec<String> {
    match serde_saphyr::from_str::<Vec<Case>>(text) {
        Ok(cases) => {
            let can_run = |case: &Case| !case.needs.as_ref().is_some_and(|program| is_missing(&case.name, program));
            let wanted = cases.iter().filter(|case| is_wanted(&case.name) && can_run(case));
            wanted.filter_map(|case| Some(format!("{}: {}", case.name, play(case, program).err()?))).collect()
        }
        Err(error) => vec![format!("the cases cannot be read: {error}")],
    }
}

/// Returns the names of the cases of a YAML text; none where it cannot be read.
pub fn names_of(text: &str) -> Vec<String> {
    let cases = serde_saphyr::from_str::<Vec<Case>>(text).unwrap_or_default();
    cases.into_iter().map(|case| case.name).collect()
}

/// Puts into a home folder what a case begins with.
fn furnish(case: &Case, home: &Path, folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(home.join(".config/aish"))?;
    std::fs::create_dir_all(folder)?;
    if case.keys.is_some() && !case.first_start {
        note_first_start(home)?;
    }
    for (name, content) in &case.files {
        let parent = folder.join(name).parent().map(Path::to_path_buf).unwrap_or_default();
        std::fs::create_dir_all(parent)?;
        std::fs::write(folder.join(name), content)?;
    }
    Ok(())
}

fn play(case: &Case, program: &Path) -> Result<(), String> {
    let home = tempfile::tempdir().map_err(|error| error.to_string())?;
    let folder = home.path().join("work");
    furnish(case, home.path(), &folder).map_err(|error| error.to_string())?;
    let server = match &case.model {
        None => None,
        Some(script) => {
            let script = Script::from_value(script.clone()).map_err(|error| format!("the script: {error:?}"))?;
            Some(ModelServer::start(script).map_err(|error| error.to_string())?)
        }
    };
    let endpoint = server.as_ref().map_or_else(|| "http://127.0.0.1:9".to_owned(), ModelServer::url);
    if !case.config.is_empty() {
        let config = case.config.replace("{model}", &endpoint);
        std::fs::write(home.path().join(".config/aish/config.toml"), config).map_err(|error| error.to_string())?;
    }
    let mut variables: Vec<(String, String)> = vec![
        ("HOME".into(), home.path().display().to_string()),
        ("PATH".into(), std::env::var("PATH").unwrap_or_default()),
        ("TERM".into(), "xterm-256color".into()),
        ("LANG".into(), "C.UTF-8".into()),
        ("USER".into(), "tester".into()),
        ("PS1".into(), "$ ".into()),
    ];
    if server.is_some() && case.config.is_empty() {
        variables.push(("OPENAI_BASE_URL".into(), endpoint.clone()));
        variables.push(("OPENAI_MODEL".into(), "scripted".into()));
    }
    let filled = |value: &str| value.replace("{model}", &endpoint).replace("{aish}", &program.display().to_string());
    variables.extend(case.env.iter().map(|(name, value)| (name.clone(), filled(value))));
    for arguments in &case.before {
        output(program, arguments, "", &variables, &folder)?;
    }
    if case.run.is_none() && case.keys.is_none() {
        return Err("a case has `run` or `keys`".to_owned());
    }
    if let Some(arguments) = &case.run {
        without_terminal(case, program, arguments, &variables, &folder)?;
    }
    if let Some(keys) = &case.keys {
        in_terminal(case, program, keys, &variables, &folder)?;
    }
    for arguments in &case.after {
        let output = output(program, arguments, "", &variables, &folder)?;
        if !output.status.success() {
            return Err(format!("{arguments:?}: {}", String::from_utf8_lossy(&output.stderr)));
        }
    }
    leaves(case, home.path())?;
    let Some(server) = server else { return Ok(()) };
    let requests = server.verify().map_err(|violation| format!("{violation:?}"))?;
    if case.requests_grow {
        grows(&requests)?;
    }
    let body = requests.last().map(|request| String::from_utf8_lossy(&request.body).into_owned()).unwrap_or_default();
    has("the last request", &body, &case.request_has)?;
    lacks("the last request", &body, &case.request_lacks)
}

/// Looks for what a case leaves in the home folder.
fn leaves(case: &Case, home: &Path) -> Result<(), String> {
    for (name, texts) in &case.home_has {
        let content = std::fs::read_to_string(home.join(name)).map_err(|error| format!("{name}: {error}"))?;
        has(name, &content, texts)?;
    }
    if let Some(there) = case.home_lacks.iter().find(|name| home.join(name).exists()) {
        return Err(format!("{there} is there"));
    }
    let state = home.join(".local/state/aish");
    if let Some(expected) = &case.audit {
        audit::audited(expected, &state)?;
    }
    audit::complete(&state)
}

/// Lets the starts in a home folder be later ones than the first.
///
/// # Errors
/// When the state folder cannot be written.
pub fn note_first_start(home: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    let state = home.join(".local/state/aish");
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&state)?;
    std::fs::write(state.join("first-start.json"), "{}")
}

/// Runs the program once, with nothing but these variables.
fn output(
    program: &Path,
    arguments: &[String],
    input: &str,
    variables: &[(String, String)],
    folder: &Path,
) -> Result<Output, String> {
    let mut child = Command::new(program)
        .args(arguments)
        .env_clear()
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read its input is no fault of the case.
        let _ = stdin.write_all(input.as_bytes());
    }
    child.wait_with_output().map_err(|error| error.to_string())
}

fn without_terminal(
    case: &Case,
    program: &Path,
    arguments: &[String],
    variables: &[(String, String)],
    folder: &Path,
) -> Result<(), String> {
    let output = output(program, arguments, &case.stdin, variables, folder)?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    let both = format!("\n--- stdout\n{stdout}\n--- stderr\n{stderr}");
    if let Some(expected) = &case.stdout
        && *expected != stdout
    {
        return Err(format!("stdout is not {expected:?}{both}"));
    }
    has("stdout", &stdout, &case.stdout_has).map_err(|why| why + &both)?;
    has("stderr", &stderr, &case.stderr_has).map_err(|why| why + &both)?;
    lacks("stderr", &stderr, &case.stderr_lacks).map_err(|why| why + &both)?;
    match case.exit {
        Some(expected) if output.status.code() != Some(expected) => {
            Err(format!("exit {:?}, not {expected}{both}", output.status.code()))
        }
        _ => Ok(()),
    }
}

fn in_terminal(
    case: &Case,
    program: &Path,
    keys: &[Key],
    variables: &[(String, String)],
    folder: &Path,
) -> Result<(), String> {
    let mut session = TerminalSession::start(program, &case.arguments, variables, folder, (80, 24))
        .map_err(|error| error.to_string())?;
    for (at, key) in keys.iter().enumerate() {
        if let Some(text) = &key.r#type {
            session.type_bytes(text.as_bytes()).map_err(|error| error.to_string())?;
        }
        let shown = |screen: &str| {
            let last = screen.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
            key.wait.iter().all(|text| screen.contains(text))
                && key.last.as_ref().is_none_or(|text| last.contains(text))
        };
        if !session.wait_until(HUNG, shown) {
            return Err(format!("step {at}: no {:?} {:?} on the screen:\n{}", key.wait, key.last, session.contents()));
        }
        lacks("the screen", &session.contents(), &key.lacks).map_err(|why| format!("step {at}: {why}"))?;
    }
    match case.exit.filter(|_| case.run.is_none()) {
        None => Ok(()),
        Some(expected) => match session.exit_code(HUNG) {
            Some(code) if i64::from(code) == i64::from(expected) => Ok(()),
            code => Err(format!("exit {code:?}, not {expected}; screen:\n{}", session.contents())),
        },
    }
}

fn grows(requests: &[RecordedRequest]) -> Result<(), String> {
    let bodies: Vec<String> = requests
        .iter()
        .filter(|request| request.path.ends_with("/chat/completions"))
        .map(|request| String::from_utf8_lossy(&request.body).into_owned())
        .collect();
    if bodies.len() < 2 {
        return Err("there are no two completions to compare".to_owned());
    }
    for (before, after) in bodies.iter().zip(bodies.iter().skip(1)) {
        let kept = before.strip_suffix("]}").ok_or("a body does not end with its messages")?;
        if !after.starts_with(kept) {
            let at = kept.bytes().zip(after.bytes()).take_while(|(one, other)| one == other).count();
            return Err(format!("a prompt changed at byte {at}:\n--- before\n{before}\n--- after\n{after}"));
        }
    }
    Ok(())
}

fn has(what: &str, text: &str, wanted: &[String]) -> Result<(), String> {
    match wanted.iter().find(|wanted| !text.contains(wanted.as_str())) {
        Some(missing) => Err(format!("{what} has no {missing:?}: {text}")),
        None => Ok(()),
    }
}

fn lacks(what: &str, text: &str, unwanted: &[String]) -> Result<(), String> {
    match unwanted.iter().find(|unwanted| text.contains(unwanted.as_str())) {
        Some(found) => Err(format!("{what} has {found:?}: {text}")),
        None => Ok(()),
    }
}
