//! Which file of a crate may import which: no large circle, and the layers of the crate at the edge.

use super::table;
use crate::finding::Finding;
use crate::imports::Imports;
use crate::tree::Tree;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for name in table::crates() {
        let source = if name == "xtask" { "xtask/src/".to_owned() } else { format!("crates/{name}/src/") };
        let imports = Imports::read(tree, &source);
        let most = table::circle(name);
        for circle in imports.circles().into_iter().filter(|circle| circle.len() > most) {
            let text =
                format!("{} files import one another in a circle ({most} may): {}", circle.len(), circle.join(", "));
            findings.push(Finding::new(name, text));
        }
        if name == "aish" {
            findings.extend(layers(&imports));
        }
    }
    findings
}

/// Checks who imports the modules that only some may.
fn layers(imports: &Imports) -> Vec<Finding> {
    let within =
        |module: &str, of: &str| module == of || module.strip_prefix(of).is_some_and(|rest| rest.starts_with("::"));
    let mut findings = Vec::new();
    for (from, targets) in &imports.of {
        for to in targets {
            for (module, importers) in table::IMPORTED_BY {
                if within(to, module)
                    && !within(from, module)
                    && !importers.iter().any(|importer| within(from, importer))
                {
                    let who = importers.join(", ");
                    findings
                        .push(Finding::new(format!("aish::{from}"), format!("must not import {to}: only {who} may")));
                }
            }
            for (module, may) in table::IMPORTS_ONLY {
                if from == module && !may.contains(&to.as_str()) {
                    findings.push(Finding::new(
                        format!("aish::{from}"),
                        format!("must not import {to}: {}", may.join(", ")),
                    ));
                }
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::File;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let files =
            files.iter().map(|(path, text)| File { path: (*path).into(), text: (*text).into(), executable: false });
        check(&Tree { files: files.collect() }).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_circle_of_four_files_fails_and_one_of_three_does_not() {
        let circle = |last: &str| {
            found(&[
                ("crates/aish-store/src/a.rs", "use crate::b::B;"),
                ("crates/aish-store/src/b.rs", "use crate::c::C;"),
                ("crates/aish-store/src/c.rs", last),
                ("crates/aish-store/src/d.rs", "use crate::a::A;"),
            ])
        };
        assert_eq!(circle("use crate::a::A;"), [""; 0]);
        assert_eq!(
            circle("use crate::d::D;"),
            ["aish-store: 4 files import one another in a circle (3 may): a, b, c, d"]
        );
    }

    #[test]
    fn the_layers_of_the_edge_are_kept() {
        let files = [
            ("crates/aish/src/base.rs", "use crate::conversation::Conversation;"),
            ("crates/aish/src/conversation.rs", "use crate::base::Base;"),
            ("crates/aish/src/command/ask.rs", "use crate::conversation::Setup;"),
            ("crates/aish/src/ledger.rs", "use crate::conversation::Setup;"),
        ];
        let found = found(&files);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found.iter().any(|finding| finding.starts_with("aish::ledger: must not import conversation")));
        assert!(found.iter().any(|finding| finding.starts_with("aish::base: must not import conversation")));
    }
}
