//! `arrows`: which crate may know which, and which file of a crate which.
//!
//! The allowed arrows are data (`table`); a new one is a line there, in a commit of its own, with its reason.

mod modules;
mod pure;
mod table;

use crate::finding::{self, Finding};
use crate::tree::Tree;
use crate::workspace::{Kind, Package, Workspace};

/// Checks the arrows of the workspace.
pub(crate) fn run() -> anyhow::Result<()> {
    let mut findings = check(&Workspace::load()?);
    let tree = Tree::load()?;
    findings.extend(pure::check(&tree));
    findings.extend(modules::check(&tree));
    finding::close("arrows", findings)
}

/// Returns the arrows that are not in the table.
fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings: Vec<Finding> = workspace.own().flat_map(|package| check_package(workspace, package)).collect();
    for (program, without) in table::PROGRAMS_WITHOUT {
        let linked = workspace.linked(program);
        for name in without.iter().filter(|name| linked.contains(**name)) {
            findings.push(Finding::new(*program, format!("links {name}, which costs it its start")));
        }
    }
    findings
}

fn check_package(workspace: &Workspace, package: &Package) -> Vec<Finding> {
    let mut findings = Vec::new();
    let name = package.name.as_str();
    let Some(allowed) = table::knows(name) else {
        return vec![Finding::new(name, "has no row in the table of arrows")];
    };
    for (kind, target, ours) in workspace.needs(package) {
        if ours {
            let for_tests = kind == Kind::Dev && target == "aish-testkit";
            if !for_tests && !allowed.contains(&target) {
                findings.push(Finding::new(name, format!("must not know {target}")));
            }
        } else if kind == Kind::Normal {
            if let Some(owners) = table::owners(target)
                && !owners.contains(&name)
            {
                findings
                    .push(Finding::new(name, format!("must not use {target}: it belongs to {}", owners.join(", "))));
            }
            if table::is_pure(name) && !table::PURE_MAY_USE.contains(&target) {
                findings.push(Finding::new(name, format!("is pure and must not use {target}")));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace(arrows: &[(&str, Kind, &str)]) -> Workspace {
        let mut workspace = Workspace::default();
        for (from, kind, to) in arrows {
            for name in [from, to] {
                if table::knows(name).is_some() {
                    workspace.members.insert((*name).into());
                }
                let package = workspace.packages.entry((*name).into()).or_default();
                package.name = (*name).into();
            }
            workspace.packages.get_mut(*from).unwrap().needs.push((*kind, (*to).into()));
        }
        workspace
    }

    fn messages(arrows: &[(&str, Kind, &str)]) -> Vec<String> {
        check(&workspace(arrows)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn allowed_arrows_pass() {
        let arrows = [
            ("aish-turn", Kind::Normal, "aish-types"),
            ("aish-mcp", Kind::Normal, "rmcp"),
            ("aish-turn", Kind::Dev, "aish-testkit"),
            ("aish-turn", Kind::Dev, "tokio"),
        ];
        assert_eq!(messages(&arrows), [""; 0]);
    }

    #[test]
    fn an_arrow_that_is_not_in_the_table_fails() {
        assert_eq!(messages(&[("aish-types", Kind::Normal, "aish-llm")]), ["aish-types: must not know aish-llm"]);
        assert_eq!(messages(&[("aish-mcp", Kind::Dev, "aish-nats")]), ["aish-mcp: must not know aish-nats"]);
        assert_eq!(messages(&[("aish-llm", Kind::Normal, "aish-testkit")]), ["aish-llm: must not know aish-testkit"]);
    }

    #[test]
    fn a_heavy_crate_outside_its_owner_fails() {
        assert_eq!(
            messages(&[("aish-store", Kind::Normal, "rmcp")]),
            ["aish-store: must not use rmcp: it belongs to aish-mcp"]
        );
    }

    #[test]
    fn a_runtime_in_a_pure_crate_fails() {
        assert_eq!(messages(&[("aish-turn", Kind::Normal, "tokio")]), ["aish-turn: is pure and must not use tokio"]);
    }

    #[test]
    fn what_makes_climax_slow_is_found_behind_others() {
        let arrows = [
            ("climax", Kind::Normal, "aish-tools"),
            ("aish-tools", Kind::Normal, "pager"),
            ("pager", Kind::Normal, "syntect"),
        ];
        assert_eq!(messages(&arrows), ["climax: links syntect, which costs it its start"]);
    }

    #[test]
    fn a_crate_without_a_row_fails() {
        let mut workspace = workspace(&[("aish-extra", Kind::Normal, "aish-types")]);
        workspace.members.insert("aish-extra".into());
        let found = check(&workspace);
        assert_eq!(found, [Finding::new("aish-extra", "has no row in the table of arrows")]);
    }
}
