//! The package for Debian and Ubuntu.

use anyhow::{Context, ensure};

use super::contents::Contents;
use super::entry::Entry;
use super::facts::Facts;
use super::tarball;

/// What AppArmor is told: Ubuntu since 24.04 takes the rights in user name spaces from programs without a profile, and
/// aish holds commands in them. The profile takes nothing away.
const PROFILE: &str = "\
abi <abi/4.0>,
include <tunables/global>

profile aish /usr/bin/aish flags=(unconfined) {
  userns,

  include if exists <local/aish>
}
";

/// Puts the profile in its place where AppArmor knows its rule; an older one would complain of it at each start.
const AFTER: &str = r#"#!/bin/sh
set -e
if [ "$1" = configure ] && [ -e /etc/apparmor.d/abi/4.0 ]; then
    cp /usr/share/NAME/apparmor /etc/apparmor.d/aish
    if [ -e /sys/kernel/security/apparmor ] && command -v apparmor_parser >/dev/null; then
        apparmor_parser --replace --write-cache /etc/apparmor.d/aish || true
    fi
fi
"#;

/// A user's own settings are not ours to change as root: who has them is told while the programs are still there.
const BEFORE_REMOVAL: &str = r#"#!/bin/sh
set -e
if [ "$1" = remove ]; then
    echo "NAME: what aish wrote into your other programs' settings is taken out by: aish self uninstall"
    echo "NAME: that works while aish is installed; install it again for that where you need it"
fi
"#;

/// Takes the profile away again.
const AFTER_REMOVAL: &str = r#"#!/bin/sh
set -e
if [ "$1" = remove ] && [ -e /etc/apparmor.d/aish ]; then
    if [ -e /sys/kernel/security/apparmor ] && command -v apparmor_parser >/dev/null; then
        apparmor_parser --remove /etc/apparmor.d/aish || true
    fi
    rm -f /etc/apparmor.d/aish
fi
"#;

/// Returns the package's file name.
pub(super) fn file_name(facts: &Facts) -> String {
    format!("{}_{}_amd64.deb", facts.name, facts.version)
}

/// Packs the three members of the archive: the format's version, what dpkg reads, and what it installs.
pub(super) fn pack(facts: &Facts, contents: &Contents, clock: u64) -> anyhow::Result<Vec<u8>> {
    let mut installed = vec![Entry::data(format!("./usr/share/{}/apparmor", facts.name), PROFILE)];
    for entry in &contents.entries {
        installed.push(place(facts, entry)?);
    }
    let copyright = format!(
        "{} is under {}.\n{}\n\nNOTICES beside this file has the licences of all parts.\n",
        facts.name, facts.license, facts.repository
    );
    installed.push(Entry::data(format!("./usr/share/doc/{}/copyright", facts.name), copyright));
    let kibibytes: usize = installed.iter().map(|entry| entry.bytes.len().div_ceil(1024)).sum();
    let control = [
        Entry::data("./control", control(facts, kibibytes)),
        Entry::program("./postinst", AFTER.replace("NAME", &facts.name)),
        Entry::program("./prerm", BEFORE_REMOVAL.replace("NAME", &facts.name)),
        Entry::program("./postrm", AFTER_REMOVAL),
    ];
    let mut archive = b"!<arch>\n".to_vec();
    member(&mut archive, "debian-binary", b"2.0\n", clock)?;
    member(&mut archive, "control.tar.gz", &tarball::gz(&control, clock)?, clock)?;
    member(&mut archive, "data.tar.gz", &tarball::gz(&installed, clock)?, clock)?;
    Ok(archive)
}

/// Puts a file where Debian has its like: below `/usr`, manual pages compressed.
fn place(facts: &Facts, entry: &Entry) -> anyhow::Result<Entry> {
    let path = entry.path.replacen("share/zsh/site-functions", "share/zsh/vendor-completions", 1);
    if path.starts_with("share/man/") {
        return Ok(Entry::data(format!("./usr/{path}.gz"), tarball::compress(&entry.bytes)?));
    }
    if path == format!("share/doc/{}/CHANGELOG.md", facts.name) {
        let path = format!("./usr/share/doc/{}/changelog.gz", facts.name);
        return Ok(Entry::data(path, tarball::compress(&entry.bytes)?));
    }
    Ok(entry.at(format!("./usr/{path}")))
}

fn control(facts: &Facts, kibibytes: usize) -> String {
    let lines: String = facts.description.lines().map(|line| format!(" {line}\n")).collect();
    format!(
        "Package: {}\nVersion: {}\nArchitecture: amd64\nMaintainer: {}\nInstalled-Size: {kibibytes}\n\
         Depends: libc6 (>= {}), bash\nRecommends: ca-certificates\nSection: shells\nPriority: optional\nHomepage: {}\n\
         Description: {}\n{lines}",
        facts.name, facts.version, facts.maintainer, facts.glibc, facts.repository, facts.summary
    )
}

/// Adds a member in the common form of `ar`: a header of 60 bytes, the bytes, and one more where they are odd.
fn member(archive: &mut Vec<u8>, name: &str, bytes: &[u8], clock: u64) -> anyhow::Result<()> {
    let header = format!("{name:<16}{clock:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 100_644, bytes.len());
    ensure!(header.len() == 60, "{name} does not fit into an archive of dpkg");
    archive.extend(header.into_bytes());
    archive.extend(bytes);
    if bytes.len() % 2 == 1 {
        archive.push(b'\n');
    }
    u32::try_from(bytes.len()).map(drop).context("a package of more than 4 GiB")
}
