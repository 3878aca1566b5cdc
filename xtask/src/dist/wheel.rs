//! The wheel for PyPI: programs, manual pages and completions, for pip, pipx and uv.

use std::io::{Cursor, Write};

use anyhow::Context;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::contents::Contents;
use super::entry::Entry;
use super::facts::Facts;
use super::libc::Libc;

/// Starts the shell under the package's own name, which `uvx NAME` and `pipx run NAME` ask for.
const MODULE: &str = r#""""NAME: starts the program `aish` that was installed with this package."""

import os
import sys
import sysconfig


def main() -> None:
    places = [os.path.dirname(os.path.abspath(sys.argv[0])), sysconfig.get_path("scripts")]
    places.append(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")))
    for place in places:
        program = os.path.join(place, "aish")
        if os.access(program, os.X_OK):
            os.execv(program, [program, *sys.argv[1:]])
    sys.exit("aish is not in " + ", ".join(places) + ": install NAME again")
"#;

/// Returns the wheel's file name.
pub(super) fn file_name(facts: &Facts, libc: Libc) -> String {
    format!("{}-{}-{}.whl", facts.module(), facts.version, tag(facts, libc))
}

/// Returns the machines that the wheel is for.
fn tag(facts: &Facts, libc: Libc) -> String {
    match libc {
        Libc::Gnu => format!("py3-none-manylinux_{}_x86_64", facts.glibc.replace('.', "_")),
        // A program without a C library of the machine runs where musl is too.
        Libc::Static => "py3-none-musllinux_1_1_x86_64".to_owned(),
    }
}

/// Packs the wheel; its record goes last, as the format wants it.
pub(super) fn pack(facts: &Facts, libc: Libc, contents: &Contents) -> anyhow::Result<Vec<u8>> {
    let module = facts.module();
    let stem = format!("{module}-{}", facts.version);
    let (data, info) = (format!("{stem}.data"), format!("{stem}.dist-info"));
    let mut entries = vec![Entry::data(format!("{module}/__init__.py"), MODULE.replace("NAME", &facts.name))];
    let runs = "from . import main\n\nmain()\n";
    entries.push(Entry::data(format!("{module}/__main__.py"), format!("\"\"\"`python -m {module}`.\"\"\"\n\n{runs}")));
    for program in contents.programs() {
        entries.push(program.at(program.path.replacen("bin", &format!("{data}/scripts"), 1)));
    }
    entries.extend(contents.shared().map(|entry| entry.below(&format!("{data}/data"))));
    for licence in contents.licences() {
        let name = licence.path.rsplit('/').next().unwrap_or_default();
        entries.push(licence.at(format!("{info}/licenses/{name}")));
    }
    let wheel = format!("Wheel-Version: 1.0\nGenerator: xtask\nRoot-Is-Purelib: false\nTag: {}\n", tag(facts, libc));
    entries.push(Entry::data(format!("{info}/WHEEL"), wheel));
    entries.push(Entry::data(format!("{info}/METADATA"), metadata(facts)?));
    let starts = format!("[console_scripts]\n{} = {module}:main\n", facts.name);
    entries.push(Entry::data(format!("{info}/entry_points.txt"), starts));
    entries.sort_by(|left, right| left.path.cmp(&right.path));
    let mut record: String = entries.iter().map(line).collect();
    record.push_str(&format!("{info}/RECORD,,\n"));
    entries.push(Entry::data(format!("{info}/RECORD"), record));
    archive(&entries)
}

fn line(entry: &Entry) -> String {
    let sum = URL_SAFE_NO_PAD.encode(Sha256::digest(&entry.bytes));
    format!("{},sha256={sum},{}\n", entry.path, entry.bytes.len())
}

fn metadata(facts: &Facts) -> anyhow::Result<String> {
    let (name, address) = facts
        .maintainer
        .split_once(" <")
        .and_then(|(name, rest)| Some((name, rest.strip_suffix('>')?)))
        .context("the maintainer is written as NAME <ADDRESS>")?;
    Ok(format!(
        "Metadata-Version: 2.4\nName: {}\nVersion: {}\nSummary: {}\nAuthor-email: {name} <{address}>\n\
         License-Expression: {}\nLicense-File: LICENSE-APACHE\nLicense-File: LICENSE-MIT\nLicense-File: NOTICES\n\
         Project-URL: Repository, {}\nRequires-Python: >=3.10\nClassifier: Environment :: Console\n\
         Classifier: Operating System :: POSIX :: Linux\nDescription-Content-Type: text/markdown\n\n{}\n",
        facts.name, facts.version, facts.summary, facts.license, facts.repository, facts.description
    ))
}

fn archive(entries: &[Entry]) -> anyhow::Result<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for entry in entries {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(9))
            .last_modified_time(DateTime::default())
            .unix_permissions(entry.mode());
        zip.start_file(entry.path.as_str(), options)?;
        zip.write_all(&entry.bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}
