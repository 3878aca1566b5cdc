//! What the terminal is told beside text: where prompts and output begin (OSC 133), the folder (OSC 7), the title, the bell.

use std::io::Write as _;
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::Repl;

/// Characters of a title at most.
const TITLE: usize = 80;

impl Repl {
    /// Tells the folder, before a prompt is drawn.
    pub(super) fn tell_folder(&self) {
        if self.screen.marks {
            let folder = self.folder();
            let home = self.base.paths.home.as_ref().map(|home| home.display().to_string());
            let short = crate::prompt::short_folder(&folder, home.as_deref());
            write(&format!("\u{1b}]7;file://{}{}\u{7}{}", crate::prompt::host(), encoded(&folder), title(&short)));
        }
    }

    /// Tells that a command begins.
    pub(super) fn tell_start(&self, command: &str) {
        if self.screen.marks {
            write(&format!("{}\u{1b}]133;C\u{7}", title(command)));
        }
    }

    /// Tells that a command has ended, and rings after a long one.
    pub(super) fn tell_end(&self, status: i32, took: Duration) {
        if self.screen.marks {
            write(&format!("\u{1b}]133;D;{status}\u{7}"));
        }
        let after = self.base.config.ui.notify_after;
        if after > 0 && took.as_secs() >= after && self.screen.drawn {
            write("\u{7}");
        }
    }
}

fn title(text: &str) -> String {
    let line: String =
        aish_types::sanitize(text).chars().map(|c| if c == '\n' { ' ' } else { c }).take(TITLE).collect();
    format!("\u{1b}]2;{line}\u{7}")
}

/// A path as it stands in a URL.
fn encoded(path: &str) -> String {
    const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');
    utf8_percent_encode(path, PLAIN).to_string()
}

fn write(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes());
    let _ = err.flush();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_titles_hold_no_control() {
        assert_eq!(encoded("/a b/ä\u{7}"), "/a%20b/%C3%A4%07");
        assert_eq!(title("vim\u{7}\nx"), "\u{1b}]2;vim x\u{7}");
        assert_eq!(title(&"x".repeat(200)).len(), TITLE + 5);
    }
}
