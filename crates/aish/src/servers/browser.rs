//! The person's browser, for addresses to sign in at.

use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use aish_mcp::client::may_be_opened;

use crate::base::Base;

/// Programs that open an address in the browser of the desktop.
const OPENERS: &[&str] = &["xdg-open", "open", "wslview"];

/// What opens addresses: a program and the arguments before the address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Browser(Option<Vec<String>>);

impl Browser {
    /// Finds `$BROWSER`, or on a desktop the program that opens addresses there.
    pub fn find(base: &Base) -> Self {
        let given = base.variable("BROWSER").and_then(|words| shell_words::split(&words).ok());
        if let Some(words) = given.filter(|words| !words.is_empty()) {
            return Self(Some(words));
        }
        let desktop =
            ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"].iter().any(|name| base.variable(name).is_some());
        if !desktop && !cfg!(target_os = "macos") {
            return Self(None);
        }
        let path = base.variable("PATH").unwrap_or_default();
        let on_path =
            |name: &str| std::env::split_paths(&path).any(|folder: std::path::PathBuf| is_file(&folder.join(name)));
        Self(OPENERS.iter().find(|name| on_path(name)).map(|name| vec![(*name).to_owned()]))
    }

    /// Opens an address, by argument vector. One that is not safe to open is left alone; the person was shown it, and
    /// can open it where there is no browser.
    pub fn open(&self, address: &str) {
        let Some((program, arguments)) = self.0.as_deref().and_then(<[String]>::split_first) else { return };
        if !may_be_opened(address) {
            return;
        }
        let mut command = Command::new(program);
        command.args(arguments).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // The browser is the person's: a Ctrl-C here is not for it.
        // Where it cannot be started, the person still has the address.
        if let Ok(mut child) = command.process_group(0).spawn() {
            std::thread::spawn(move || child.wait());
        }
    }
}

fn is_file(path: &Path) -> bool {
    path.is_file()
}
