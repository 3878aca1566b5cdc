//! How a command is handed to the shell.

/// How a command is handed to the shell; the name is what the hook reads before the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// As the text of an alias that the trigger names. The parser then reads the command as if it had been typed, so
    /// that `$_`, `$?`, traps, traces and messages are those of a shell that is typed into.
    Alias,
    /// Through `eval`: for what an alias cannot hold (here-documents are read from the terminal past it, arrays), what
    /// would show it, and for shells whose aliases do not do.
    Eval,
}

impl Delivery {
    /// Chooses for a command, and for a shell that takes aliases or does not.
    pub(crate) fn choose(command: &str, takes_alias: bool) -> Self {
        // Bash 5.2 frees its memory twice over an array assignment (`a=(…)`) inside an alias.
        let unfit = ["alias", "ALIAS", "compgen", "__aish", "=("].iter().any(|part| command.contains(part));
        match !takes_alias || unfit || has_here_document(command) {
            true => Self::Eval,
            false => Self::Alias,
        }
    }

    /// What the hook reads before the command.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::Alias => "alias",
            Self::Eval => "eval",
        }
    }

    /// What is typed before the line where the shell edits its lines itself: it stops doing so, at its top level, where
    /// alone it can.
    pub(crate) const UNEDITED: &str = "\\builtin set +o vi +o emacs; ";

    /// The line that makes the shell run the command.
    pub(crate) fn trigger(self) -> &'static str {
        match self {
            Self::Alias => "__aish_go\n",
            Self::Eval => "eval \"$__aish_command\"\n",
        }
    }
}

/// Says whether a command has `<<` outside a `<<<`; one too many is harmless.
fn has_here_document(command: &str) -> bool {
    command.split("<<<").any(|part| part.contains("<<"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_alias_cannot_hold_is_evaluated() {
        for (command, expected) in [
            ("echo hi", Delivery::Alias),
            ("for i in 1 2; do\necho $i\ndone", Delivery::Alias),
            ("cat <<< word", Delivery::Alias),
            ("cat <<EOF\nx\nEOF", Delivery::Eval),
            ("cat <<-'EOF'\nx\nEOF", Delivery::Eval),
            ("cat <<< a; cat <<E\nE", Delivery::Eval),
            ("a=(1 2)", Delivery::Eval),
            ("f() { local -a a+=(1); }", Delivery::Eval),
            ("alias", Delivery::Eval),
            ("unalias -a", Delivery::Eval),
            ("declare -p BASH_ALIASES", Delivery::Eval),
        ] {
            assert_eq!(Delivery::choose(command, true), expected, "{command}");
        }
        assert_eq!(Delivery::choose("echo hi", false), Delivery::Eval);
    }
}
