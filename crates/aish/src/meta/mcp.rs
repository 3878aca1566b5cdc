//! `:mcp connect|disconnect|list|tools|tool|prompts|prompt|resources|resource|login`.

mod login;
mod material;

use aish_mcp::client::{Endpoint, ServerPool};
use aish_tools::ToolSource as _;
use aish_types::ToolName;

use crate::repl::Repl;
use crate::servers;

pub(super) async fn run(repl: &mut Repl, rest: &str) {
    let words = match shell_words::split(rest) {
        Ok(words) => words,
        Err(error) => return repl.complain(&error.to_string()),
    };
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] | ["list"] => list(repl),
        ["tools"] => tools(repl),
        ["tool", name] => tool(repl, name),
        ["connect", target] => connect(repl, target, None).await,
        ["connect", target, alias] => connect(repl, target, Some(alias)).await,
        ["disconnect", alias] => disconnect(repl, alias).await,
        ["prompts"] => material::prompts(repl, None).await,
        ["prompts", alias] => material::prompts(repl, Some(alias)).await,
        ["prompt", name, arguments @ ..] => material::prompt(repl, name, arguments).await,
        ["resources"] => material::resources(repl, None).await,
        ["resources", alias] => material::resources(repl, Some(alias)).await,
        ["resource", alias, uri] => material::resource(repl, alias, uri).await,
        ["login", alias] => login::run(repl, alias).await,
        _ => repl.complain(
            ":mcp connect URL|'COMMAND ARGUMENTS' [ALIAS] | disconnect ALIAS | list | tools | tool ALIAS.NAME | login ALIAS\n\
             :mcp prompts [ALIAS] | prompt ALIAS.NAME [ARGUMENT=VALUE ...] | resources [ALIAS] | resource ALIAS URI",
        ),
    }
}

fn list(repl: &Repl) {
    let rows = repl.servers.rows();
    if rows.is_empty() {
        return repl.print_words("no MCP server; `:mcp connect URL` adds one for this session");
    }
    for row in rows {
        let state = servers::state_words(&row.state);
        repl.print_words(&format!("{}  {}  {} tools  {state}", row.alias, row.shown, row.tools));
    }
}

fn tools(repl: &Repl) {
    for client in repl.servers.all() {
        for definition in client.definitions() {
            let first = definition.description.lines().next().unwrap_or_default();
            repl.print_words(&format!("{}  {first}", definition.name));
        }
    }
}

fn tool(repl: &mut Repl, name: &str) {
    let found = repl.conversation.driver.asker.registry.get(&ToolName::new(name));
    match found {
        Some((_, definition)) => {
            let schema = serde_json::to_string_pretty(&definition.input_schema.value()).unwrap_or_default();
            repl.print_words(&format!("{name}: {}", definition.description));
            repl.print(&schema);
        }
        None => repl.complain(&format!("there is no tool {name:?}; :mcp tools lists them")),
    }
}

async fn connect(repl: &mut Repl, target: &str, alias: Option<&str>) {
    let mut options = match servers::target(&repl.base, target) {
        Ok(options) => options,
        Err(why) => return repl.fail(&why),
    };
    options.alias = match alias {
        Some(alias) => alias.to_owned(),
        None => match &options.endpoint {
            Endpoint::Http { url, .. } => ServerPool::alias_of(url),
            Endpoint::Stdio { command, .. } => command.rsplit('/').next().unwrap_or(command).to_owned(),
        },
    };
    options.sign_in_hint = Some(servers::SignInWords::Shell.hint(&options.alias));
    let client = repl.servers.reach(options);
    repl.conversation.driver.asker.registry.add(client.clone());
    // What is told of servers says why one is not ready.
    if client.ready().await.is_ok() {
        repl.say(&format!("mcp: {}: {} tools", client.alias(), client.tool_count()));
    }
}

async fn disconnect(repl: &mut Repl, alias: &str) {
    let Some(client) = repl.servers.get(alias) else {
        return repl.complain(&format!("there is no server {alias:?}; :mcp list shows them"));
    };
    repl.conversation.driver.asker.registry.remove(client.id());
    repl.servers.remove(alias).await;
    repl.say(&format!("mcp: {alias}: disconnected"));
}
