//! Finding and searching.

use std::path::Path;

use aish_files::{Asked, find, search};

use crate::place::Place;

fn place() -> Place {
    let place = Place::new();
    place.write(".gitignore", "target\n*.log\n");
    place.write("src/main.rs", "fn main() {\n    hello();\n}\n");
    place.write("src/hello.rs", "pub fn hello() {\r\n    println!(\"Hello\");\r\n}\r\n");
    place.write("target/hello.rs", "hello");
    place.write("a.log", "hello");
    place.write(".git/hello", "hello");
    place.write(".github/hello.yml", "hello: 1\n");
    place.write("image.bin", b"hello\0");
    place.write("token.txt", "hello-secret\n");
    std::fs::write(place.outside.join("out.rs"), "hello").unwrap();
    std::os::unix::fs::symlink(&place.outside, place.root.join("out")).unwrap();
    place
}

#[track_caller]
fn found(place: &Place, pattern: &str) -> Vec<String> {
    let tree = place.tree();
    let mut paths = find(&tree, &tree.locate(".").unwrap(), pattern, 100, &|| false).unwrap().paths;
    paths.sort();
    paths
}

#[test]
fn patterns_name_files() {
    let place = place();
    assert_eq!(found(&place, "*.rs"), ["src/hello.rs", "src/main.rs"]);
    assert_eq!(found(&place, "hello"), [".github/hello.yml", "src/hello.rs"]);
    assert_eq!(found(&place, "src/*.rs"), ["src/hello.rs", "src/main.rs"]);
    assert_eq!(found(&place, "**/*.yml"), [".github/hello.yml"]);
    assert_eq!(found(&place, "nothing"), Vec::<String>::new());
    let tree = place.tree();
    let root = tree.locate(".").unwrap();
    assert!(find(&tree, &root, "[", 100, &|| false).is_err());
    let some = find(&tree, &root, "*", 2, &|| false).unwrap();
    assert_eq!((some.paths.len(), some.total > 2), (2, true));
    assert!(find(&tree, &root, "*", 2, &|| true).unwrap().is_cut);
    let below = find(&tree, &tree.locate("src").unwrap(), "main", 9, &|| false).unwrap();
    assert_eq!(below.paths, ["src/main.rs"]);
}

#[test]
fn lines_are_found_by_expressions() {
    let place = place();
    let tree = place.tree();
    let root = tree.locate(".").unwrap();
    let is_hidden = |path: &Path| path.ends_with("token.txt");
    let asked = |asked: Asked<'_>| search(&tree, &root, &asked, &is_hidden, &|| false).unwrap();
    let all = asked(Asked { pattern: "hello", ..Asked::default() });
    assert_eq!(all.hidden, ["token.txt"]);
    let guess = asked(Asked { pattern: "nothing like that", ..Asked::default() });
    assert_eq!(guess.hidden, ["token.txt"], "whether it matches is not told");
    assert!(
        !all.text.contains("secret") && !all.text.contains("out.rs") && !all.text.contains("target"),
        "{}",
        all.text
    );
    assert_eq!((all.files, all.matches), (3, 3), "{}", all.text);
    let one = asked(Asked { pattern: r"println!\(", glob: Some("*.rs"), context: 1, ..Asked::default() });
    assert_eq!(one.text, "src/hello.rs\n1-pub fn hello() {\n2:    println!(\"Hello\");\n3-}\n");
    let plain = asked(Asked { pattern: "HELLO(", ignore_case: true, ..Asked::default() });
    assert!(plain.is_plain && plain.matches == 2, "{plain:?}");
    let file = search(
        &tree,
        &tree.locate("src/main.rs").unwrap(),
        &Asked { pattern: "hello", ..Asked::default() },
        &is_hidden,
        &|| false,
    );
    assert_eq!(file.unwrap().text, "src/main.rs\n2:    hello();\n");
}

#[test]
fn files_are_named_as_they_can_be_named_again() {
    let place = place();
    let tree = aish_files::Tree::open(&place.root, &place.root.join("src")).unwrap();
    for (path, name) in
        [("hello.rs", "hello.rs"), ("../a.log", "../a.log"), ("..", ".."), (".", "."), ("../.github", "../.github")]
    {
        assert_eq!(tree.locate(path).unwrap().name, name);
    }
    let at = tree.locate("..").unwrap();
    let asked = Asked { pattern: "hello", ..Asked::default() };
    let found = search(&tree, &at, &asked, &|_| false, &|| false).unwrap();
    assert!(found.text.contains("main.rs\n2:    hello();"), "{}", found.text);
    for name in found.text.lines().filter(|line| !line.starts_with(|c: char| c.is_ascii_digit())) {
        assert!(tree.locate(name).unwrap().exists, "{name}");
    }
}

#[test]
fn results_are_bounded() {
    let place = Place::new();
    place.write("many.txt", "x\n".repeat(5_000));
    place.write("long.txt", "x".repeat(100_000));
    let tree = place.tree();
    let root = tree.locate(".").unwrap();
    let out = search(&tree, &root, &Asked { pattern: "x", ..Asked::default() }, &|_| false, &|| false).unwrap();
    assert!(out.is_cut && out.matches <= 201 && out.text.len() < 64 * 1024, "{} {}", out.matches, out.text.len());
}
