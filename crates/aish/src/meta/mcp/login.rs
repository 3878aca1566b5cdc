//! `:mcp login ALIAS`: signs in, and connects anew with what came of it.

use std::sync::Arc;

use aish_tools::ToolSource as _;

use crate::repl::Repl;
use crate::servers;
use crate::servers::login::login;
use crate::servers::news::News;

pub(super) async fn run(repl: &mut Repl, alias: &str) {
    let client = repl.servers.get(alias);
    let options = match &client {
        Some(client) => client.options().clone(),
        None => match servers::configured(&repl.base, alias) {
            Ok(options) => options,
            Err(why) => return repl.fail(&why),
        },
    };
    let interrupt = repl.interrupts.arm();
    // The address is wanted now and not at the next prompt.
    let status = Arc::new(News::new(Arc::default(), |line: String| crate::run::status(&line)));
    match login(&repl.base, options.clone(), status, &interrupt).await {
        Ok(words) => repl.say(&format!("mcp: {alias}: {words}")),
        Err(why) => return repl.fail(&why.at(format_args!("mcp: {alias}"))),
    }
    if let Some(client) = client {
        repl.conversation.driver.asker.registry.remove(client.id());
        repl.servers.remove(alias).await;
    }
    let client = repl.servers.add(options);
    repl.conversation.driver.asker.registry.add(client);
}
