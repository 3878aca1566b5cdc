//! The C library that programs are linked with.

use anyhow::bail;

/// How the programs find their C library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Libc {
    /// They load the machine's glibc, of the version of the table or newer.
    Gnu,
    /// They bring it along and run on any Linux; names are looked up by files and DNS alone.
    Static,
}

impl Libc {
    /// Reads the value of `--libc`.
    pub(super) fn named(name: &str) -> anyhow::Result<Self> {
        match name {
            "gnu" => Ok(Self::Gnu),
            "static" => Ok(Self::Static),
            _ => bail!("--libc is gnu or static, not {name}"),
        }
    }

    /// Returns what archives are called for.
    pub(super) const fn platform(self) -> &'static str {
        match self {
            Self::Gnu => "x86_64-linux-gnu",
            Self::Static => "x86_64-linux-static",
        }
    }
}
