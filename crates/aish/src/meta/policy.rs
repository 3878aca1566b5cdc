//! `:policy [COMMAND | TOOL | forget TEXT]`.

use aish_safety::PinStore;
use aish_types::ToolName;

use crate::command::policy::{approved, decided, forget, shown};
use crate::kept::KeptFile;
use crate::repl::Repl;

pub(super) fn run(repl: &mut Repl, rest: &str) {
    if let Some(text) = rest.strip_prefix("forget ") {
        match forget(&repl.base, text) {
            Ok(said) => repl.print_words(&aish_types::visible(&said)),
            Err(why) => repl.fail(&why),
        }
        return;
    }
    let policy = repl.base.policy();
    let kept = KeptFile::of(&repl.base).texts().unwrap_or_default();
    let text = if rest.is_empty() {
        shown(&policy) + &approved(&kept)
    } else if let Some(about) = about_tool(repl, rest) {
        about
    } else {
        decided(&policy, rest, &(repl.conversation.driver.environment.surroundings)(), &kept)
    };
    repl.print_words(aish_types::visible(text.trim_end()).as_ref());
}

/// Says what the policy and the pins say about a tool; none where there is no such tool.
fn about_tool(repl: &Repl, name: &str) -> Option<String> {
    let name = ToolName::new(name);
    let (_, definition) = repl.conversation.driver.door.registry().get(&name)?;
    let policy = repl.base.policy();
    let mut out = format!("{name} ({})\n", definition.source);
    if let Some(rule) = policy.rules.for_tool(name.as_str(), "") {
        out.push_str(&format!("{}: {}: {} ({})\n", rule.id, rule.verdict, rule.reason, rule.place));
    }
    let approved = match policy.auto_approval(&name) {
        Some(true) => "true: runs without a question",
        Some(false) => "false: is always asked",
        None => "not named",
    };
    out.push_str(&format!("mcp.auto_approve: {approved}\n"));
    let pinned = match repl.base.pins().get(&definition.source, &name) {
        _ if definition.trusted => "not needed, it is part of this installation".to_owned(),
        Ok(Some(pin)) if pin.hash == aish_safety::definition_hash(&definition) => "as it was approved".to_owned(),
        Ok(Some(_)) => "changed since it was approved: it is asked again".to_owned(),
        Ok(None) => "never approved so far".to_owned(),
        Err(error) => format!("cannot be read, so it is asked: {error}"),
    };
    out.push_str(&format!("definition: {pinned}\n"));
    let kept = KeptFile::of(&repl.base).texts().unwrap_or_default();
    let always = kept.iter().any(|text| *text == format!("tool {name}"));
    out.push_str(if always { "always: yes, in this project\n" } else { "always: no\n" });
    Some(out)
}
