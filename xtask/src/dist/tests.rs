//! Packages of small programs that stand in for ours, looked at by the programs that install such packages.

use std::process::{Command, Output};

use super::*;

/// Answers as ours do where the packages are made.
const STAND_IN: &str = r#"#!/bin/sh
case $1 in
    manual) echo ".TH ${0##*/} 1" >"$2/${0##*/}.1" ;;
    completions) echo "completions of ${0##*/} for $2" ;;
    *) echo "this is ${0##*/}: $*" ;;
esac
"#;

struct Made {
    folder: tempfile::TempDir,
    facts: Facts,
}

impl Made {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

fn make(libc: Libc) -> Made {
    let facts = Facts::load().unwrap();
    let programs = tempfile::tempdir().unwrap();
    for name in &facts.programs {
        Entry::program(name.as_str(), STAND_IN).write_below(programs.path()).unwrap();
    }
    let sources = Sources { hash: "0123".into(), clock: 1_700_000_000 };
    let workspace = Workspace::load().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let built = Programs::in_folder(programs.path(), &facts).unwrap();
    pack(&facts, &workspace, &sources, libc, &built, folder.path()).unwrap();
    recipes::write(&facts, folder.path()).unwrap();
    sums::write(folder.path()).unwrap();
    Made { folder, facts }
}

/// Runs a program that has to do its work; none where it is not installed.
fn ran(command: &mut Command) -> Option<Output> {
    let output = match command.output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        output => output.unwrap(),
    };
    let why = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command:?}: {why}");
    Some(output)
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Says that a test cannot run, as the other tests do.
fn skip(why: &str) {
    use std::io::Write as _;
    if let Some(path) = std::env::var_os("AISH_TEST_SKIPPED") {
        let mut file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
        writeln!(file, "dist: {why}").unwrap();
    }
}

#[test]
fn the_same_programs_give_the_same_bytes() {
    let (first, second) = (make(Libc::Gnu), make(Libc::Gnu));
    let sums = std::fs::read_to_string(first.path("SHA256SUMS")).unwrap();
    assert_eq!(sums, std::fs::read_to_string(second.path("SHA256SUMS")).unwrap());
    let names: Vec<&str> = sums.lines().filter_map(|line| line.split_once("  ")).map(|(_, name)| name).collect();
    let version = &first.facts.version;
    assert_eq!(
        names,
        [
            "Containerfile".to_owned(),
            "PKGBUILD".to_owned(),
            format!("aish-climax-{version}-x86_64-linux-gnu.tar.gz"),
            format!("aish-climax-{version}.cdx.json"),
            format!("aish-climax-{version}.tgz"),
            "aish-climax.install".to_owned(),
            "aish-climax.rb".to_owned(),
            format!("aish-climax_{version}_amd64.deb"),
            format!("aish_climax-{version}-py3-none-manylinux_2_28_x86_64.whl"),
        ]
    );
    ran(Command::new("sha256sum").args(["--check", "--quiet", "SHA256SUMS"]).current_dir(first.folder.path())).unwrap();
}

#[test]
fn the_archive_is_a_tree_below_a_prefix() {
    let made = make(Libc::Static);
    let stem = format!("aish-climax-{}-x86_64-linux-static", made.facts.version);
    let listed = ran(Command::new("tar").args(["-tvzf"]).arg(made.path(&format!("{stem}.tar.gz")))).unwrap();
    let listed = text(&listed);
    for (mode, path) in [
        ("-rwxr-xr-x", "bin/aish"),
        ("-rwxr-xr-x", "bin/aish-model"),
        ("-rwxr-xr-x", "bin/climax"),
        ("-rw-r--r--", "share/aish-climax/sources.sha256"),
        ("-rw-r--r--", "share/bash-completion/completions/aish"),
        ("-rw-r--r--", "share/doc/aish-climax/LICENSE-APACHE"),
        ("-rw-r--r--", "share/doc/aish-climax/NOTICES"),
        ("-rw-r--r--", "share/fish/vendor_completions.d/climax.fish"),
        ("-rw-r--r--", "share/man/man1/aish.1"),
        ("-rw-r--r--", "share/man/man1/climax.1"),
        ("-rw-r--r--", "share/zsh/site-functions/_aish"),
    ] {
        let found = listed.lines().find(|line| line.ends_with(&format!(" {stem}/{path}")));
        let line = found.unwrap_or_else(|| panic!("{path} is not in\n{listed}"));
        assert!(line.starts_with(mode) && line.contains(" 0/0 "), "{line}");
    }
    let unpacked = std::fs::read_to_string(made.path(&stem).join("share/aish-climax/sources.sha256")).unwrap();
    assert_eq!(unpacked, "0123\n");
}

#[test]
fn the_bill_names_what_is_linked_and_its_licence() {
    let made = make(Libc::Gnu);
    let bill = std::fs::read(made.path(&format!("aish-climax-{}.cdx.json", made.facts.version))).unwrap();
    let bill: serde_json::Value = serde_json::from_slice(&bill).unwrap();
    let components = bill["components"].as_array().unwrap();
    let find = |name: &str| components.iter().find(|component| component["name"] == name);
    let serde = find("serde").unwrap();
    assert_eq!(serde["licenses"][0]["expression"], "MIT OR Apache-2.0");
    assert_eq!(serde["hashes"][0]["content"].as_str().unwrap().len(), 64);
    assert!(find("llama-cpp-sys-2").is_some(), "the embedded model's program counts too");
    assert!(find("vt100").is_none(), "what only tests need is in no program");
    let known: Vec<&str> = components.iter().filter_map(|component| component["bom-ref"].as_str()).collect();
    for row in bill["dependencies"].as_array().unwrap() {
        let all = row["dependsOn"].as_array().unwrap().iter().chain([&row["ref"]]);
        all.for_each(|name| assert!(known.contains(&name.as_str().unwrap()), "{name} is no component"));
    }
    let stem = format!("aish-climax-{}-x86_64-linux-gnu", made.facts.version);
    let notices = std::fs::read_to_string(made.path(&stem).join("share/doc/aish-climax/NOTICES")).unwrap();
    assert!(notices.contains("llama-cpp-sys-2") && notices.contains("Permission is hereby granted"));
}

#[test]
fn pip_installs_the_wheel() {
    let Some(python) = std::env::var_os("AISH_TEST_PYTHON") else { return skip("AISH_TEST_PYTHON is not set") };
    let made = make(Libc::Gnu);
    let wheel = made.path(&format!("aish_climax-{}-py3-none-manylinux_2_28_x86_64.whl", made.facts.version));
    let place = made.path("prefix");
    let pip = ["-m", "pip", "install", "--no-index", "--no-deps", "--disable-pip-version-check", "--prefix"];
    ran(Command::new(&python).args(pip).arg(&place).arg(&wheel)).unwrap();
    for name in &made.facts.programs {
        let said = text(&ran(Command::new(place.join("bin").join(name)).arg("hello")).unwrap());
        assert_eq!(said, format!("this is {name}: hello\n"));
    }
    let library = std::fs::read_dir(place.join("lib")).unwrap().next().unwrap().unwrap().path().join("site-packages");
    let said =
        ran(Command::new(place.join("bin/aish-climax")).arg("-c").arg("ls").env("PYTHONPATH", &library)).unwrap();
    assert_eq!(text(&said), "this is aish: -c ls\n", "the package's own name starts the shell");
    assert!(place.join("share/man/man1/aish.1").is_file());
    assert!(place.join("share/zsh/site-functions/_climax").is_file());
    let listed =
        ran(Command::new(&python).args(["-m", "pip", "show", "-f", "aish-climax"]).env("PYTHONPATH", &library));
    let listed = text(&listed.unwrap());
    assert!(
        listed.contains("License-Expression: MIT OR Apache-2.0") || listed.contains("Name: aish-climax"),
        "{listed}"
    );
    assert!(listed.contains("licenses/NOTICES"), "{listed}");
}

#[test]
fn dpkg_reads_the_package() {
    let made = make(Libc::Gnu);
    let package = made.path(&format!("aish-climax_{}_amd64.deb", made.facts.version));
    let Some(fields) = ran(Command::new("dpkg-deb").arg("--field").arg(&package)) else {
        return skip("dpkg-deb is not installed");
    };
    let fields = text(&fields);
    for line in ["Package: aish-climax", "Depends: libc6 (>= 2.28), bash", "Architecture: amd64"] {
        assert!(fields.lines().any(|found| found == line), "{line} is not in\n{fields}");
    }
    let place = made.path("root");
    ran(Command::new("dpkg-deb").arg("--raw-extract").arg(&package).arg(&place)).unwrap();
    for name in ["postinst", "prerm", "postrm"] {
        ran(Command::new("sh").arg("-n").arg(place.join("DEBIAN").join(name))).unwrap();
    }
    let profile = std::fs::read_to_string(place.join("usr/share/aish-climax/apparmor")).unwrap();
    assert!(profile.contains("profile aish /usr/bin/aish") && profile.contains("userns,"));
    for path in ["bin/aish", "bin/climax", "share/man/man1/aish.1.gz", "share/doc/aish-climax/copyright"] {
        assert!(place.join("usr").join(path).is_file(), "{path}");
    }
    assert!(place.join("usr/share/zsh/vendor-completions/_aish").is_file());
    let page = ran(Command::new("gzip").arg("-dc").arg(place.join("usr/share/man/man1/aish.1.gz"))).unwrap();
    assert_eq!(text(&page), ".TH aish 1\n");
}

#[test]
fn npm_installs_the_package() {
    let made = make(Libc::Gnu);
    let package = made.path(&format!("aish-climax-{}.tgz", made.facts.version));
    let place = made.path("node");
    std::fs::create_dir(&place).unwrap();
    let mut npm = Command::new("npm");
    npm.args(["install", "--offline", "--no-audit", "--no-fund", "--no-update-notifier", "--prefix"]).arg(&place);
    let Some(_) = ran(npm.arg(&package).env("npm_config_cache", made.path("cache"))) else {
        return skip("npm is not installed");
    };
    for (name, program) in
        [("aish", "aish"), ("climax", "climax"), ("aish-model", "aish-model"), ("aish-climax", "aish")]
    {
        let said = ran(Command::new(place.join("node_modules/.bin").join(name)).arg("hello")).unwrap();
        let said = text(&said);
        assert!(said.starts_with("this is ") && said.ends_with(": hello\n"), "{program}: {said}");
    }
}

#[test]
fn recipes_name_the_archive_and_its_sum() {
    let made = make(Libc::Gnu);
    let stem = format!("aish-climax-{}-x86_64-linux-gnu", made.facts.version);
    let sum = sums::sha256(&std::fs::read(made.path(&format!("{stem}.tar.gz"))).unwrap());
    for name in ["aish-climax.rb", "PKGBUILD", "Containerfile"] {
        let recipe = std::fs::read_to_string(made.path(name)).unwrap();
        assert!(recipe.contains(&sum) && recipe.contains(&made.facts.version), "{name}:\n{recipe}");
        assert!(!recipe.contains("@NAME@") && !recipe.contains("@SUM@"), "{name}:\n{recipe}");
    }
    assert!(!made.path("flake.nix").exists(), "its archive is another one");
    ran(Command::new("bash").arg("-n").arg(made.path("PKGBUILD"))).unwrap();
    let made = make(Libc::Static);
    let flake = std::fs::read_to_string(made.path("flake.nix")).unwrap();
    assert!(flake.contains("x86_64-linux-static.tar.gz"), "{flake}");
}

#[test]
fn the_newest_glibc_of_a_table_of_symbols_is_found() {
    let table = "0000 DF *UND* 0000 (GLIBC_2.4) a\n0000 DF *UND* 0000 (GLIBC_2.28) b\n0000 (GLIBC_2.17) c\n";
    assert_eq!(build::newest_glibc(table), Some((2, 28)));
    assert_eq!(build::newest_glibc("no symbols"), None);
}

#[test]
fn the_libraries_that_a_program_loads_are_found() {
    let headers =
        "Program Header:\n    LOAD off 0x0\nDynamic Section:\n  NEEDED               libstdc++.so.6\n  INIT  0x1\n";
    assert_eq!(build::libraries(headers), ["libstdc++.so.6"]);
    assert!(build::libraries("Program Header:\n    LOAD off 0x0\n").is_empty());
}

/// Starts `./run` with programs of the system that cannot build anything.
fn start_run(dist: &Path, home: &Path) -> Output {
    let tools = home.join("tools");
    std::fs::create_dir_all(&tools).unwrap();
    for name in ["bash", "basename", "cat", "cut", "dirname", "find", "sha256sum", "sort", "xargs"] {
        let places = ["/usr/bin", "/bin"].map(|folder| Path::new(folder).join(name));
        let place = places.iter().find(|place| place.exists()).unwrap_or_else(|| panic!("{name} is not installed"));
        // The second start finds them there.
        let _ = std::os::unix::fs::symlink(place, tools.join(name));
    }
    let models = home.join("aish/models");
    Entry::data("small.gguf", "a model").write_below(&models).unwrap();
    let mut command = Command::new(tools.join("bash"));
    command.arg(tree::root().join("run")).args(["ask", "well?"]).env_clear().env("PATH", &tools);
    command.env("AISH_DIST", dist).env("XDG_DATA_HOME", home).env("CARGO_TARGET_DIR", home.join("target"));
    command.output().unwrap()
}

#[test]
fn run_takes_programs_of_these_very_sources_alone() {
    let home = tempfile::tempdir().unwrap();
    let dist = home.path().join("dist");
    for name in ["aish", "aish-model"] {
        Entry::program(format!("bin/{name}"), STAND_IN).write_below(&dist).unwrap();
    }
    let hash = ran(&mut Command::new(tree::root().join("scripts/source-hash.sh"))).unwrap();
    Entry::data("share/aish-climax/sources.sha256", hash.stdout).write_below(&dist).unwrap();
    let started = start_run(&dist, home.path());
    assert_eq!(text(&started), "this is aish: ask well?\n", "{started:?}");
    Entry::data("share/aish-climax/sources.sha256", "0123\n").write_below(&dist).unwrap();
    let refused = start_run(&dist, home.path());
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && refused.stdout.is_empty(), "{refused:?}");
    assert!(told.contains("are not of these sources") && told.contains("cargo is missing"), "{told}");
}
