//! No list of words that no code names: rustc says nothing of tables that a build writes.

use toml::Table;

use crate::finding::Finding;
use crate::tree::{File, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let sources: Vec<&File> = tree.rust().filter(|file| file.text.contains("aish_programs::words::")).collect();
    let is_used = |module: &str, name: &str| {
        let names = |file: &&File, wanted: &str| {
            file.text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|word| word == wanted)
        };
        sources.iter().any(|file| names(file, module) && names(file, name))
    };
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| file.folder() == "crates/aish-programs/words") {
        let (Some(module), Ok(tables)) = (file.name().strip_suffix(".toml"), file.text.parse::<Table>()) else {
            findings.push(Finding::new(&file.path, "is no TOML"));
            continue;
        };
        let lists = tables.get("lists").and_then(|lists| lists.as_table()).into_iter().flat_map(Table::keys);
        let groups = tables.iter().filter(|(name, table)| table.is_table() && *name != "lists").map(|(name, _)| name);
        for name in lists.chain(groups).filter(|name| !is_used(module, &name.replace('-', "_").to_ascii_uppercase())) {
            findings.push(Finding::new(&file.path, format!("no code names the list `{name}`")));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::{places, tree};

    #[test]
    fn a_list_that_no_code_names_is_found() {
        let one = ("crates/aish-programs/words/one.toml", "[lists]\nof_sys = [\"a\"]\n[stands-for]\na = [\"b\"]");
        let two = ("crates/aish-programs/words/two.toml", "lower-case = true\n[lists]\nof_sys = []\nall = []");
        let user =
            "use aish_programs::words::one::OF_SYS;\nuse aish_programs::words::one;\nfn f() { one::STANDS_FOR; ALL }";
        let found = check(&tree(&[one, two, ("crates/a/src/lib.rs", user), ("crates/b/src/lib.rs", "two ALL")]));
        assert_eq!(places(&found), [two.0, two.0]);
    }
}
