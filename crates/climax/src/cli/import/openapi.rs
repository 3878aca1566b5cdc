//! `climax import --openapi FILE`: a tool an operation of an API.

use std::path::Path;

use aish_safety::Answer;
use climax::http::{Api, Auth, Hosts};
use climax::import::openapi::{ApiDraft, ImportOptions};
use climax::service::ask_at_terminal;

use crate::cli::{output, places};

/// Makes the config, where the token may go to its host. The error is told already.
pub(super) fn config(file: &Path, server: Option<&str>, auth_env: Option<&str>) -> Option<String> {
    let told = |why: &str| output::tell(&format!("error: {}: {}", file.display(), aish_types::sanitize(why)));
    let text = climax::load::read_text(file).map_err(|why| told(&why)).ok()?;
    let imported = ApiDraft::read(&text, &ImportOptions { server, auth_env }).map_err(|why| told(&why)).ok()?;
    for remark in &imported.remarks {
        output::tell(&format!("note: {}", aish_types::sanitize(remark)));
    }
    if imported.is_empty() {
        told("no operation of it could be read");
        return None;
    }
    match &imported.api.auth {
        Some(auth) => confirm(&imported.api, auth, server.is_some()).map_err(|why| told(&why)).ok()?,
        None if imported.wants_token() => {
            output::tell("note: it wants a token: --auth-env NAME says which variable holds it")
        }
        None => {}
    }
    let count = imported.len();
    let tools = if count == 1 { "1 tool".to_owned() } else { format!("{count} tools") };
    output::tell(&format!("{tools}. GET reads, DELETE destroys, the others write: look at every risk."));
    Some(imported.yaml())
}

/// Has the host confirmed that gets the token: by naming it with the variable, or at the terminal.
fn confirm(api: &Api, auth: &Auth, is_named: bool) -> Result<(), String> {
    let (origin, env) = (api.origin(), &auth.env);
    if !Auth::is_variable(env) {
        return Err(format!("'{env}' is no variable's name; --auth-env takes the name, never the token"));
    }
    let state = places::state_folder();
    let hosts = Hosts::new(state.as_deref());
    if !is_named && !hosts.holds(env, &origin) {
        let open = if api.url.scheme() == "https" { "" } else { " It is not encrypted." };
        let sentence = format!("Send the token in {env} to {origin}, and to no other host?{open}");
        match ask_at_terminal(&sentence) {
            Some(Answer::Yes) => {}
            Some(_) => return Err("the host was not confirmed; nothing was written".into()),
            None => {
                return Err(format!(
                    "nobody can be asked whether the token in {env} may go to {origin}; name it with the variable to confirm it: \
                     --auth-env {env} --server {}",
                    api.url
                ));
            }
        }
    }
    hosts.confirm(env, &origin)
}
