//! A command out of a model's answer: one that a line can hold, with its judgement.

use aish_safety::{Judgement, Verdict};

use crate::arguments::LineShell;
use crate::base::Base;
use crate::explained::analysed;

/// The longest command, in bytes.
const LONGEST: usize = 4096;

/// A command for the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Proposal {
    /// The command, without a newline at its end.
    pub(super) command: String,
}

/// Why an answer is no command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unusable {
    /// The model says why there is none.
    #[error("{0}")]
    Told(String),
    #[error("the model gave no command")]
    Empty,
    #[error("the model's command is longer than 4 KiB")]
    TooLong,
    #[error("the model's command holds characters that are not shown; it was not taken: {0}")]
    Hidden(String),
}

impl Proposal {
    /// Reads a model's answer: a command alone, in a code block, or behind `CMD:`; a line of `#` says why there is none.
    pub(super) fn read(answer: &str) -> Result<Self, Unusable> {
        let text = answer.replace("\r\n", "\n").replace('\r', "");
        let text = fenced(&text).unwrap_or(&text).trim();
        let text = text.strip_prefix("CMD:").or_else(|| text.strip_prefix("$ ")).unwrap_or(text).trim();
        let text = match text.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')) {
            Some(inner) if !inner.contains('`') => inner.trim(),
            _ => text,
        };
        if let Some(told) = text.strip_prefix('#').filter(|_| text.lines().all(|line| line.starts_with('#'))) {
            return Err(Unusable::Told(aish_types::sanitize(told.trim()).into_owned()));
        }
        match text {
            "" => Err(Unusable::Empty),
            text if text.len() > LONGEST => Err(Unusable::TooLong),
            text if text.chars().any(|c| c != '\n' && c != '\t' && aish_types::sanitize::is_dangerous(c)) => {
                Err(Unusable::Hidden(aish_types::visible(text).into_owned()))
            }
            text => Ok(Self { command: text.to_owned() }),
        }
    }

    /// Judges the command for a shell. fish's syntax is not known here: at best it is asked about.
    pub(super) fn judged(&self, base: &Base, shell: LineShell) -> Judgement {
        let judgement = analysed(&self.command, &base.surroundings(), &base.policy()).judgement;
        if shell != LineShell::Fish {
            return judgement;
        }
        let unknown = "is for fish, whose own syntax is not judged; read it before you run it";
        judgement.strictest(Judgement::new(Verdict::Ask, "shell.fish", unknown))
    }

    /// Returns the command with each of its lines behind a `#`: Enter alone does nothing with it.
    pub(super) fn as_comment(&self) -> String {
        self.command.lines().map(|line| format!("# {line}")).collect::<Vec<_>>().join("\n")
    }
}

/// Returns what the first code block holds.
fn fenced(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("```")?;
    let (_, body) = rest.split_once('\n')?;
    body.split("```").next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_read_out_of_an_answer() {
        for (answer, expected) in [
            ("ls -la\n", "ls -la"),
            ("```sh\nfind . -size +10M\n```\n", "find . -size +10M"),
            (
                "Here you are:\n```\nfor f in *; do\n\techo \"$f\"\ndone\n```\nIt lists them.",
                "for f in *; do\n\techo \"$f\"\ndone",
            ),
            ("CMD: du -sh .", "du -sh ."),
            ("$ uname -a", "uname -a"),
            ("`uname -a`", "uname -a"),
            ("echo `date` `id`", "echo `date` `id`"),
            ("a\r\nb\r\n", "a\nb"),
        ] {
            assert_eq!(Proposal::read(answer).map(|proposal| proposal.command), Ok(expected.to_owned()), "{answer:?}");
        }
    }

    #[test]
    fn what_is_no_command_is_not_put_into_a_line() {
        for (answer, expected) in [
            ("", Unusable::Empty),
            ("```\n```", Unusable::Empty),
            ("# there is no such command", Unusable::Told("there is no such command".into())),
            ("ls \u{202e}cod", Unusable::Hidden("ls \\u{202e}cod".into())),
            ("printf '\u{1b}[2J'", Unusable::Hidden("printf '\\e[2J'".into())),
            (&"x".repeat(LONGEST + 1), Unusable::TooLong),
        ] {
            assert_eq!(Proposal::read(answer), Err(expected), "{answer:?}");
        }
    }

    #[test]
    fn a_comment_covers_every_line() {
        let proposal = Proposal { command: "rm -rf /srv\nrm -rf /opt".into() };
        assert_eq!(proposal.as_comment(), "# rm -rf /srv\n# rm -rf /opt");
    }
}
