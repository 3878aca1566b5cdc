//! The configurations that come with the program, parsed only when they are asked for.

/// One configuration inside the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bundled {
    /// The name it is asked for by.
    pub name: &'static str,
    /// Its YAML.
    pub text: &'static str,
}

macro_rules! bundled {
    ($($name:literal),* $(,)?) => {
        &[$(Bundled { name: $name, text: include_str!(concat!("../configs/", $name, ".yaml")) }),*]
    };
}

/// All of them, by name.
pub const ALL: &[Bundled] = bundled![
    "apt",
    "aws",
    "cargo",
    "coreutils",
    "curl",
    "docker",
    "ffmpeg",
    "gh",
    "git",
    "ip",
    "journalctl",
    "kubectl",
    "npm",
    "systemctl",
    "tar",
];

/// Looks one up.
pub fn find(name: &str) -> Option<&'static Bundled> {
    ALL.iter().find(|bundled| bundled.name == name)
}
