//! The module for agents whose hooks are JavaScript (opencode): written whole, known by its first line.

use std::path::{Path, PathBuf};

use crate::agent::{Agent, Event};

/// The first line of a module of ours, without the version.
const MARK: &str = "// aish hook module, version ";

/// The version of what the module says to the binary.
const VERSION: u32 = 1;

/// Writes the module. It starts the program without a shell and throws when the program denies, fails, is ended by a
/// signal, takes longer than 10 s, or answers something that cannot be read.
pub fn module(program: &Path, agent: Agent) -> Option<String> {
    let before = agent.event_name(Event::Before)?;
    let after = agent.event_name(Event::After)?;
    let name = agent.name();
    let program = serde_json::Value::from(program.to_string_lossy().into_owned());
    Some(format!(
        r#"{MARK}{VERSION}; written by `aish hook install {name}`, removed by `aish hook uninstall {name}`
import {{ execFile }} from "node:child_process"

const program = {program}

function run(event, payload) {{
  return new Promise((resolve, reject) => {{
    const options = {{ timeout: 10000, maxBuffer: 1 << 20 }}
    const child = execFile(program, ["hook", "run", "{name}", event], options, (error, stdout, stderr) => {{
      if (error) reject(new Error(String(stderr).trim() || `aish: the hook could not judge the command: ${{error.message}}`))
      else resolve(String(stdout).trim())
    }})
    child.stdin.on("error", () => {{}})
    child.stdin.end(JSON.stringify(payload))
  }})
}}

export const AishHook = async ({{ directory }}) => ({{
  "{before}": async (input, output) => {{
    if (input.tool !== "bash") return
    const payload = {{ sessionID: input.sessionID, callID: input.callID, tool: input.tool, args: output.args, cwd: directory }}
    const said = await run("{before}", payload)
    if (said === "") return
    const answer = JSON.parse(said)
    if (answer.decision === "deny") throw new Error(answer.reason)
    throw new Error("aish: the hook's answer was not understood")
  }},
  "{after}": async (input) => {{
    if (input.tool !== "bash") return
    const payload = {{ sessionID: input.sessionID, callID: input.callID, tool: input.tool, args: input.args ?? {{}}, cwd: directory }}
    await run("{after}", payload).catch(() => {{}})
  }},
}})
"#
    ))
}

/// Returns the program that a module starts; none where the module is not ours.
pub fn program(text: &str) -> Option<PathBuf> {
    if !text.starts_with(MARK) {
        return None;
    }
    let line = text.lines().find_map(|line| line.strip_prefix("const program = "))?;
    Some(PathBuf::from(serde_json::from_str::<String>(line).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_says_which_program_it_starts() {
        for path in ["/usr/bin/aish", "/home/a \"b\"\\c/aish", "/ü/`x`${y}/aish"] {
            let module = module(Path::new(path), Agent::Opencode).unwrap();
            assert_eq!(program(&module).unwrap(), Path::new(path));
        }
        assert_eq!(program("// somebody else's\nconst program = \"/usr/bin/aish\"\n"), None);
        assert_eq!(super::module(Path::new("/a"), Agent::Codex).map(|text| text.contains("PreToolUse")), Some(true));
    }
}
