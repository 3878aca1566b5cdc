//! From YAML to a [`Policy`]. A misspelt key could open what should be closed, so it is an error here.

use aish_safety::Level;

use super::{Approval, Bounds, Docker, Executor, Headless, Named, Pattern, Policy, ToolPolicy, Unlisted};
use crate::fault::{Fault, Faults};
use crate::yaml::{self, Fields, Node};

/// Reads a policy; with any error there is none.
///
/// `file` is the name that faults carry.
pub fn read(file: &str, text: &str) -> (Option<Policy>, Vec<Fault>) {
    let mut faults = Faults::new(file);
    let policy = yaml::parse(text, &mut faults).and_then(|root| read_policy(&root, &mut faults));
    let whole = faults.errors() == 0;
    (policy.filter(|_| whole), faults.into_sorted())
}

fn read_policy(root: &Node<'_>, faults: &mut Faults) -> Option<Policy> {
    let mut fields = Fields::open(root, "a policy", faults)?;
    let words = [("enabled", Unlisted::Offered), ("disabled", Unlisted::Hidden)];
    let unlisted = fields.word("default", &words, faults).unwrap_or(Unlisted::Hidden);
    let mut policy = Policy { unlisted, ..Policy::default() };
    for (name, at, node) in fields.entries("tools", faults) {
        policy.named.push(Named { tool: name.clone(), arg: None, at });
        // `tools: {git_log: }` lists a tool and says nothing more of it.
        let tool = if node.is_null() {
            Some(ToolPolicy::default())
        } else {
            read_tool(&name, node, &mut policy.named, faults)
        };
        policy.tools.extend(tool.map(|tool| (name, tool)));
    }
    if let Some((_, node)) = fields.take("executor") {
        policy.executor = read_executor(node, faults).unwrap_or_default();
    }
    if let Some((_, node)) = fields.take("approval") {
        policy.approval = read_approval(node, &mut policy.named, faults).unwrap_or_default();
    }
    fields.end_strictly(faults);
    Some(policy)
}

fn read_tool(tool: &str, node: &Node<'_>, named: &mut Vec<Named>, faults: &mut Faults) -> Option<ToolPolicy> {
    let mut fields = Fields::open(node, "a tool's policy", faults)?;
    let mut policy = ToolPolicy {
        description: fields.text("description", faults),
        require_approval: fields.optional_boolean("require_approval", faults),
        ..ToolPolicy::default()
    };
    for (name, at, node) in fields.entries("args", faults) {
        named.push(Named { tool: tool.to_owned(), arg: Some(name.clone()), at });
        let bounds = if node.is_null() { Some(Bounds::default()) } else { read_bounds(node, faults) };
        policy.args.extend(bounds.map(|bounds| (name, bounds)));
    }
    fields.end_strictly(faults);
    Some(policy)
}

fn read_bounds(node: &Node<'_>, faults: &mut Faults) -> Option<Bounds> {
    let mut fields = Fields::open(node, "an argument's bounds", faults)?;
    let pattern_at = fields.position_of("pattern").unwrap_or(fields.at);
    let pattern = fields.text("pattern", faults).and_then(|source| match Pattern::new(&source) {
        Ok(pattern) => Some(pattern),
        Err(error) => {
            let reason = error.to_string();
            let last = reason.lines().last().unwrap_or_default();
            faults.error(pattern_at, format!("'pattern' is no regular expression that this program knows: {last}"));
            None
        }
    });
    let bounds = Bounds { pattern, min: fields.number("min", faults), max: fields.number("max", faults) };
    if let (Some(min), Some(max)) = (bounds.min, bounds.max)
        && min > max
    {
        faults.contradiction(fields.at, format!("'min' is {min} and 'max' is {max}: nothing is between them"));
    }
    fields.end_strictly(faults);
    Some(bounds)
}

fn read_executor(node: &Node<'_>, faults: &mut Faults) -> Option<Executor> {
    let mut fields = Fields::open(node, "the executor", faults)?;
    let is_docker = fields.word("type", &[("local", false), ("docker", true)], faults).unwrap_or(false);
    let image = fields.text("image", faults).filter(|image| !image.is_empty());
    let docker = Docker {
        image: image.clone().unwrap_or_default(),
        volumes: fields.texts("volumes", faults),
        working_dir: fields.text("working_dir", faults),
        network: fields.text("network", faults),
    };
    let at = fields.at;
    fields.end_strictly(faults);
    if is_docker && image.is_none() {
        faults.error(at, "the executor 'docker' needs 'image'");
    }
    Some(if is_docker { Executor::Docker(docker) } else { Executor::Local })
}

fn read_approval(node: &Node<'_>, named: &mut Vec<Named>, faults: &mut Faults) -> Option<Approval> {
    let mut fields = Fields::open(node, "the approval", faults)?;
    let levels =
        [("none", Level::None), ("destructive", Level::Destructive), ("write", Level::Write), ("all", Level::All)];
    // The older spelling is accepted as the program that these files were written for does.
    let level =
        fields.word("global", &levels, faults).or(fields.word("global_level", &levels, faults)).unwrap_or_default();
    let headless = fields.word("headless", &[("deny", Headless::Deny), ("approve", Headless::Approve)], faults);
    let mut approval = Approval { level, headless: headless.unwrap_or_default(), ..Approval::default() };
    for (name, at, node) in fields.entries("tools", faults) {
        named.push(Named { tool: name.clone(), arg: None, at });
        match node.text().and_then(yaml::scalar::boolean) {
            Some(asks) => {
                approval.tools.insert(name, asks);
            }
            None => faults.error(at, format!("'{name}' must be true or false")),
        }
    }
    fields.end_strictly(faults);
    Some(approval)
}
