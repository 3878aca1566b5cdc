//! No file that nothing declares: it would be neither compiled nor tested.

use crate::finding::Finding;
use crate::tree::{File, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust().filter_map(|file| check_file(tree, file)).collect()
}

fn check_file(tree: &Tree, file: &File) -> Option<Finding> {
    let module = file.module()?;
    let folder = file.folder();
    if folder.ends_with("/tests") && !folder.contains("/src/") {
        return Some(Finding::new(
            &file.path,
            "one test binary a crate: move it to tests/it/ and declare it in main.rs",
        ));
    }
    let inside = folder.contains("/src") || folder.contains("/tests/it");
    let root = matches!(module, "lib" | "main" | "mod" | "build") || folder.ends_with("/src/bin");
    if !inside || root {
        return None;
    }
    let parents = [format!("{folder}.rs"), format!("{folder}/lib.rs"), format!("{folder}/main.rs")];
    let declared = parents.iter().filter_map(|path| tree.find(path)).any(|parent| declares(&parent.text, module));
    (!declared).then(|| Finding::new(&file.path, format!("no `mod {module};` declares it")))
}

fn declares(text: &str, module: &str) -> bool {
    text.lines().any(|line| {
        let line = line.split("//").next().unwrap_or_default().trim_end();
        line.strip_suffix(';')
            .and_then(|line| line.strip_suffix(module))
            .is_some_and(|line| line.ends_with(" mod ") || line == "mod ")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::{places, tree};

    #[test]
    fn a_file_is_declared_beside_its_folder() {
        let files = [
            ("a/src/lib.rs", "pub mod pin;\n// mod ghost;\nmod spin;"),
            ("a/src/pin.rs", "mod store; // the store\n#[cfg(test)]\nmod tests;"),
            ("a/src/pin/store.rs", ""),
            ("a/src/pin/lost.rs", ""),
            ("a/src/ghost.rs", ""),
            ("a/src/spin.rs", ""),
            ("a/src/bin/fake.rs", ""),
            ("a/src/pin/tests.rs", "mod deep;"),
            ("a/src/pin/tests/deep.rs", ""),
            ("a/build.rs", ""),
        ];
        assert_eq!(places(&check(&tree(&files))), ["a/src/pin/lost.rs", "a/src/ghost.rs"]);
    }

    #[test]
    fn a_test_file_belongs_to_the_one_test_binary() {
        let files = [
            ("a/tests/it/main.rs", "#[cfg(test)] mod seen;"),
            ("a/tests/it/seen.rs", ""),
            ("a/tests/it/unseen.rs", ""),
            ("a/tests/alone.rs", ""),
        ];
        assert_eq!(places(&check(&tree(&files))), ["a/tests/it/unseen.rs", "a/tests/alone.rs"]);
    }
}
