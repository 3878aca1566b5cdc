//! Builds the programs so that the same commit gives the same bytes in any folder on any day.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};

use super::facts::Facts;
use super::libc::Libc;
use super::programs::Programs;
use super::sources::Sources;
use crate::tree;

/// The platform of all builds so far.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The profile of what is handed out.
const PROFILE: &str = "dist";

/// The embedded model's program: it has C++ and OpenMP in it, looks up no names, and is linked with its C library always.
const MODEL: &str = "aish-model";

/// What the embedded model computes with and its page promises. ggml leaves all of them out where `SOURCE_DATE_EPOCH` is set.
const INSTRUCTIONS: [&str; 6] = ["GGML_SSE42", "GGML_AVX", "GGML_AVX2", "GGML_BMI2", "GGML_F16C", "GGML_FMA"];

/// Builds the programs of a release with one C library.
pub(super) fn build(facts: &Facts, libc: Libc, sources: &Sources) -> anyhow::Result<Programs> {
    let mut programs = Programs::default();
    match libc {
        Libc::Static => {
            let all: Vec<&str> = facts.programs.iter().map(String::as_str).collect();
            cargo(Libc::Static, facts, sources, &all)?;
            for name in all {
                programs.add(name, finish(Libc::Static, name, facts)?)?;
            }
        }
        Libc::Gnu => {
            let (models, others): (Vec<&str>, Vec<&str>) =
                facts.programs.iter().map(String::as_str).partition(|name| *name == MODEL);
            cargo(Libc::Gnu, facts, sources, &others)?;
            cargo(Libc::Static, facts, sources, &models)?;
            for name in others {
                programs.add(name, finish(Libc::Gnu, name, facts)?)?;
            }
            for name in models {
                programs.add(name, finish(Libc::Static, name, facts)?)?;
            }
        }
    }
    Ok(programs)
}

/// Returns the target folder of a C library: cargo would build everything anew after each change of the flags.
fn target_folder(libc: Libc) -> PathBuf {
    tree::root().join("target").join(libc.platform())
}

fn folder(libc: Libc) -> PathBuf {
    target_folder(libc).join(TARGET).join(PROFILE)
}

/// Strips a program and checks that it needs what its packages promise and nothing else.
fn finish(libc: Libc, name: &str, facts: &Facts) -> anyhow::Result<PathBuf> {
    let program = strip(libc, name)?;
    match libc {
        Libc::Gnu => check_glibc(&program, &facts.glibc)?,
        Libc::Static => check_static(&program)?,
    }
    Ok(program)
}

/// Copies a program without its symbols; the one that has them stays for those who look for what is large or slow in it.
fn strip(libc: Libc, name: &str) -> anyhow::Result<PathBuf> {
    let (built, bare) = (folder(libc).join(name), folder(libc).join("stripped"));
    std::fs::create_dir_all(&bare).with_context(|| format!("making {}", bare.display()))?;
    let bare = bare.join(name);
    let status = Command::new("strip").arg("--strip-all").arg("-o").args([&bare, &built]).status();
    let status = status.context("strip (binutils) cannot be started")?;
    ensure!(status.success(), "strip {} failed ({status})", built.display());
    Ok(bare)
}

fn cargo(libc: Libc, facts: &Facts, sources: &Sources, programs: &[&str]) -> anyhow::Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    let mut flags = vec![];
    match libc {
        Libc::Gnu => {
            let tools = tools()?;
            let path = std::env::var_os("PATH").unwrap_or_default();
            let folders = std::iter::once(tools).chain(std::env::split_paths(&path));
            command.env("PATH", std::env::join_paths(folders)?).arg("zigbuild");
            command.args(["--target", &format!("{TARGET}.{}", facts.glibc)]);
        }
        Libc::Static => {
            flags.extend(["-Ctarget-feature=+crt-static".to_owned(), "-Crelocation-model=static".to_owned()]);
            command.args(["build", "--target", TARGET]);
            if programs.contains(&MODEL) {
                // A program with a static C library and a shared C++ library crashes when it starts.
                command.args(["--features", &format!("{MODEL}/static-stdcxx")]);
                command.envs(INSTRUCTIONS.map(|name| (name, "ON")));
            }
        }
    }
    let places = places()?;
    flags.extend(places.iter().map(|(from, to)| format!("--remap-path-prefix={from}={to}")));
    let maps: Vec<String> = places.iter().map(|(from, to)| format!("-ffile-prefix-map={from}={to}")).collect();
    command.args(["--profile", PROFILE, "--locked", "--target-dir"]).arg(target_folder(libc));
    for program in programs {
        command.args(["--package", program, "--bin", program]);
    }
    command
        .current_dir(tree::root())
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"))
        .env("CFLAGS", maps.join(" "))
        .env("CXXFLAGS", maps.join(" "))
        .env("SOURCE_DATE_EPOCH", sources.clock.to_string())
        .env("CARGO_INCREMENTAL", "0")
        .env_remove("RUSTFLAGS")
        .env_remove("AISH_PIE");
    // What `cargo xtask` hands down belongs to the run of xtask itself.
    command.env_remove("CARGO_MANIFEST_DIR").env_remove("CARGO_PKG_NAME");
    eprintln!("dist: building {} ({})", programs.join(", "), libc.platform());
    let status = command.status().context("cargo cannot be started")?;
    ensure!(status.success(), "the build failed ({status})");
    Ok(())
}

/// Lists the folders of this machine and what stands for them in the programs.
fn places() -> anyhow::Result<Vec<(String, &'static str)>> {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let cargo = std::env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
    let text = |path: &Path| {
        let text = path.to_str().filter(|text| !text.contains([' ', '=']));
        text.map(ToOwned::to_owned).with_context(|| format!("flags cannot name the folder {}", path.display()))
    };
    Ok(vec![(text(&cargo)?, "/cargo"), (text(&tree::root())?, "/aish")])
}

/// Returns the folder of `cargo-zigbuild` and of Python with `ziglang`; installs both below the target folder.
fn tools() -> anyhow::Result<PathBuf> {
    let root = tree::root();
    let venv = root.join("target/dist-tools");
    let list = root.join("scripts/dist-requirements.txt");
    let installed = venv.join("installed.txt");
    let wanted = std::fs::read(&list).with_context(|| format!("reading {}", list.display()))?;
    if std::fs::read(&installed).ok().as_ref() != Some(&wanted) {
        eprintln!("dist: installing {} ...", list.display());
        let run = |program: &Path, arguments: &[&std::ffi::OsStr]| {
            let status = Command::new(program).args(arguments).status();
            let status = status.with_context(|| format!("{} cannot be started", program.display()))?;
            ensure!(status.success(), "{} failed ({status})", program.display());
            Ok(())
        };
        run(Path::new("python3"), &["-m".as_ref(), "venv".as_ref(), venv.as_os_str()])?;
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"].map(AsRef::as_ref);
        run(&venv.join("bin/python"), &[pip.as_slice(), &[list.as_os_str()]].concat())?;
        std::fs::write(&installed, wanted)?;
    }
    Ok(venv.join("bin"))
}

/// Fails when a program wants a newer glibc than the packages say.
fn check_glibc(program: &Path, newest: &str) -> anyhow::Result<()> {
    let wanted = newest_glibc(&objdump("-T", program)?).context("the program names no version of glibc")?;
    ensure!(
        wanted <= version(newest).context("the glibc of the table is no version")?,
        "{} wants glibc {}.{}, and the packages promise {newest}",
        program.display(),
        wanted.0,
        wanted.1
    );
    Ok(())
}

/// Fails when a program that should bring everything along loads a library.
fn check_static(program: &Path) -> anyhow::Result<()> {
    let headers = objdump("-p", program)?;
    let libraries = libraries(&headers);
    ensure!(libraries.is_empty(), "{} is not static: it loads {}", program.display(), libraries.join(", "));
    Ok(())
}

/// Returns the libraries that a program loads, by its headers.
pub(super) fn libraries(headers: &str) -> Vec<&str> {
    headers.lines().filter_map(|line| line.trim().strip_prefix("NEEDED")).map(str::trim).collect()
}

/// Asks binutils about a program.
fn objdump(option: &str, program: &Path) -> anyhow::Result<String> {
    let output = Command::new("objdump").arg(option).arg(program).output();
    let output = output.context("objdump (binutils) cannot be started")?;
    ensure!(output.status.success(), "objdump failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the newest version of glibc that a table of symbols names.
pub(super) fn newest_glibc(symbols: &str) -> Option<(u32, u32)> {
    symbols.split("GLIBC_").skip(1).filter_map(version).max()
}

fn version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.split(|c: char| !c.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}
