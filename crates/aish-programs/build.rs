//! Reads what is known of programs and of words and lays it out as static tables. What is wrong in a file ends the build
//! with the file and the line.

use std::env;
use std::error::Error;
use std::fmt::{Debug, Write as _};
use std::fs;
use std::path::{Path, PathBuf};

use aish_program_format::Tables;
use aish_program_format::compile::{Fault, Files, compile};
use aish_program_format::file::{ProgramFile, SharedFile};
use aish_program_format::words::{Grouped, WordsFile};
use serde::de::DeserializeOwned;

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let mut faults = Vec::new();
    let programs: Files<ProgramFile> = read(&root.join("programs"), &mut faults)?;
    let shared: Files<SharedFile> = read(&root.join("shared"), &mut faults)?;
    let words: Files<WordsFile> = read(&root.join("words"), &mut faults)?;
    let wrong = words.iter().flat_map(|(name, content)| content.faults(name));
    faults.extend(wrong.map(|fault| place(&root, &["words"], &fault)));
    if faults.is_empty() {
        match compile(&programs, &shared) {
            Ok(builder) => {
                let names: Vec<(String, u16)> = builder.names().map(|(name, at)| (name.to_string(), at)).collect();
                let out = PathBuf::from(env::var("OUT_DIR")?);
                fs::write(out.join("tables.rs"), written(&builder.build(), &names)?)?;
                fs::write(out.join("words.rs"), modules(&words)?)?;
                return Ok(());
            }
            Err(found) => faults.extend(found.iter().map(|fault| place(&root, &["programs", "shared"], fault))),
        }
    }
    faults.truncate(40);
    Err(format!("what is known of programs is not as it should be\n{}", faults.join("\n")).into())
}

/// Reads the files of a folder.
fn read<T: DeserializeOwned>(folder: &Path, faults: &mut Vec<String>) -> Result<Files<T>, Box<dyn Error>> {
    let mut say = String::new();
    writeln!(say, "cargo::rerun-if-changed={}", folder.display())?;
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    paths.sort();
    let mut out = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path)?;
        match toml::from_str(&text) {
            Ok(content) => {
                let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                out.push((name, content));
            }
            Err(error) => {
                let at = error.span().map_or(0, |span| span.start);
                let line = text.get(..at).unwrap_or_default().matches('\n').count() + 1;
                faults.push(format!("{}:{line}: {}", path.display(), error.message()));
            }
        }
    }
    std::io::Write::write_all(&mut std::io::stdout(), say.as_bytes())?;
    Ok(out)
}

/// Finds the line of a fault between files.
fn place(root: &Path, folders: &[&str], fault: &Fault) -> String {
    let found = folders.iter().find_map(|folder| {
        let path = root.join(folder).join(format!("{}.toml", fault.file));
        let text = fs::read_to_string(&path).ok()?;
        let quoted = format!("\"{}\"", fault.near);
        let at = text.find(&quoted).or_else(|| text.find(&fault.near))?;
        Some(format!("{}:{}: {}", path.display(), text.get(..at)?.matches('\n').count() + 1, fault.message))
    });
    found.unwrap_or_else(|| format!("{}.toml: {}", fault.file, fault.message))
}

/// Writes the tables as code.
fn written(tables: &Tables, names: &[(String, u16)]) -> Result<String, Box<dyn Error>> {
    let mut out = String::new();
    let code = &mut out;
    module(code, "starts", "u32", "", &tables.starts)?;
    module(code, "lists", "u16", "", &tables.lists)?;
    module(code, "groups", "List", "use aish_program_format::tables::List;", &tables.groups)?;
    module(code, "commands", "List", "use aish_program_format::tables::List;", &tables.commands)?;
    let patterns = "use aish_program_format::pattern::{Check::*, Classes, Input::*, Question::*, Test, Which::*};\
        use aish_program_format::tables::{Id, List};";
    module(
        code,
        "steps",
        "Step",
        "use aish_program_format::pattern::Step::{self, *}; use aish_program_format::tables::List;",
        &tables.steps,
    )?;
    module(code, "tests", "Test", patterns, &tables.tests)?;
    let forms =
        "use aish_program_format::form::{Form::{self, *}, Language::*}; use aish_program_format::tables::{Id, List};";
    module(code, "forms", "Form", forms, &tables.forms)?;
    let loses = "use aish_program_format::loses::{Against::*, Files::*, Loss, Paths, Records::*};\
        use aish_program_format::tables::{Id, List}; use Paths::*;";
    module(code, "loses", "Loss", loses, &tables.loses)?;
    let acts = "use aish_program_format::act::{Act::*, StandIn}; use aish_program_format::tables::{Id, List};";
    module(code, "acts", "StandIn", acts, &tables.acts)?;
    let writes = "use aish_program_format::writes::{Place::*, Writes}; use aish_program_format::tables::{Id, List};";
    module(code, "writes", "Writes", writes, &tables.writes)?;
    let rules = "use aish_program_format::{effect::Effect::*, verdict::Verdict::*};\
        use aish_program_format::tables::{Id, List, RuleRow};";
    module(code, "rules", "RuleRow", rules, &tables.rules)?;
    let wrappers =
        "use aish_program_format::verdict::Verdict::*; use aish_program_format::tables::{Id, List, WrapperRow};";
    module(code, "wrappers", "WrapperRow", wrappers, &tables.wrappers)?;
    module(code, "uses", "Use", "use aish_program_format::tables::{Id, List, Use};", &tables.uses)?;
    let facts = "use aish_program_format::fact::{Change::*, Output::*, Traits}; use aish_program_format::tables::{Facts, Id, List, Opens};";
    module(code, "facts", "Facts", facts, &tables.facts)?;
    module(
        code,
        "programs",
        "ProgramRow",
        "use aish_program_format::tables::{Id, List, ProgramRow};",
        &tables.programs,
    )?;
    let mut map = phf_codegen::Map::new();
    for (name, at) in names {
        map.entry(name.as_str(), at.to_string());
    }
    writeln!(code, "static NAMES: phf::Map<&'static str, u16> = {};", map.build())?;
    writeln!(code, "use alloc::borrow::Cow; const TABLES_OF_FILES: Tables = Tables {{")?;
    writeln!(code, "text: Cow::Borrowed({:?}),", tables.text)?;
    for table in [
        "starts", "lists", "groups", "commands", "steps", "tests", "forms", "loses", "acts", "writes", "rules",
        "wrappers", "uses", "facts", "programs",
    ] {
        writeln!(code, "{table}: Cow::Borrowed(&{table}::ALL),")?;
    }
    writeln!(code, "names: aish_program_format::tables::Names::Fixed(&NAMES) }};")?;
    Ok(out)
}

/// Writes a table in a module of its own, so that the names of what stands in it are its own.
fn module<T: Debug>(code: &mut String, name: &str, kind: &str, uses: &str, items: &[T]) -> Result<(), std::fmt::Error> {
    writeln!(code, "mod {name} {{ {uses} pub(super) static ALL: [{kind}; {}] = [", items.len())?;
    for item in items {
        writeln!(code, "{item:?},")?;
    }
    writeln!(code, "]; }}")
}

/// Writes a module for each file of words.
fn modules(files: &Files<WordsFile>) -> Result<String, std::fmt::Error> {
    let mut code = String::new();
    for (file, content) in files {
        writeln!(code, "/// The words of `words/{file}.toml`.\npub mod {file} {{")?;
        for (name, list) in &content.lists {
            let (name, words) = (name.to_ascii_uppercase(), list.0.iter().collect::<Vec<_>>());
            writeln!(code, "/// A list, in order.\npub static {name}: &[&str] = &{words:?};")?;
        }
        grouped(&mut code, "STANDS_FOR", "&str", "", &content.stands_for)?;
        grouped(&mut code, "LANGUAGE", "Language", "Language::", &content.language)?;
        grouped(&mut code, "SETTABLE", "Settable", "Settable::", &content.settable)?;
        grouped(&mut code, "ARGUMENTS", "Arguments", "", &content.arguments)?;
        writeln!(code, "}}")?;
    }
    Ok(code)
}

/// Writes words with what is known of each.
fn grouped<K: Debug>(
    code: &mut String,
    name: &str,
    kind: &str,
    path: &str,
    groups: &Grouped<K>,
) -> Result<(), std::fmt::Error> {
    let mut words: Vec<_> = groups.iter().flat_map(|(key, list)| list.0.iter().map(move |word| (word, key))).collect();
    if words.is_empty() {
        return Ok(());
    }
    words.sort_by_key(|(word, _)| *word);
    let uses = if kind.starts_with('&') { String::new() } else { format!("use crate::words::{kind};") };
    writeln!(
        code,
        "{uses}\n/// Words with what is known of each, in order.\npub static {name}: &[(&str, {kind})] = &["
    )?;
    for (word, key) in words {
        writeln!(code, "({word:?}, {path}{key:?}),")?;
    }
    writeln!(code, "];")
}
