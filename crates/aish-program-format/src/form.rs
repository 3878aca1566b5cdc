//! Where the command or the code stands among the arguments of a program that runs it.

use crate::fact::named;
use crate::ids::{Id, List};

named! {
    /// The language of code that is given to a program.
    Language {
        /// A shell: parsed and judged whole.
        Shell = "shell",
        /// A general language: scanned for shell-outs and destructive calls.
        General = "general",
        /// An editor's commands: `!…` and `system(…)`.
        Editor = "editor",
        /// A makefile: recipes and `$(shell …)`.
        Make = "make",
        /// A file of recipes that are lines for a shell: just, task.
        Recipes = "recipes",
        /// A script of CMake: `file(…)`, `execute_process(…)`.
        CMake = "cmake",
        /// SQL and database shells.
        Sql = "sql",
        /// Tcl and expect: `exec …`, `spawn …`, `system …`.
        Tcl = "tcl",
        /// Lines of a crontab: five fields of time, then a line for a shell.
        Crontab = "crontab",
        /// An address of socat: `EXEC:…`, `SYSTEM:…`.
        Socat = "socat",
        /// Commands of a file transfer: `rm …`, `put …`, `!…`.
        Transfer = "transfer",
        /// Words that are expanded as in double quotes.
        Words = "words",
        /// Commands of a store of keys, one a line, as a client or a plain connection sends them.
        Keys = "keys",
        /// Actions in brackets, as `fzf --bind` has them: `key:execute(…)`, `key:become(…)`.
        Bindings = "bindings",
    }
}

/// Where the command or the code stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// After `skip` operands, the rest is a program with its arguments.
    Program {
        /// Operands before the program.
        skip: u8,
    },
    /// After `skip` operands, the rest, joined with blanks, is a line for a shell.
    Text {
        /// Operands before the text.
        skip: u8,
    },
    /// The same, when one of the options is given.
    TextWith {
        /// The options.
        options: List,
    },
    /// The value of the option is the program, the operands after `skip` others its arguments.
    Entry {
        /// The option.
        option: Id,
        /// Operands before the arguments.
        skip: u8,
    },
    /// The value of one of the options is code, after `prefix` is cut off; values without the prefix are none.
    Code {
        /// The options.
        options: List,
        /// What must stand before the code in the value; may be empty.
        prefix: Id,
        /// The code's language.
        language: Language,
    },
    /// What follows a marker, up to an end mark, is a program with its arguments.
    Marked {
        /// The markers.
        markers: List,
        /// The end marks; none means up to the end.
        ends: List,
    },
    /// The operand at this place is code.
    Operand {
        /// Its place, from 0.
        at: u8,
        /// The code's language.
        language: Language,
    },
    /// Every operand is code.
    Operands {
        /// The code's language.
        language: Language,
    },
    /// The operands, one behind the other, are typed into a terminal: names of keys among them, marks for line ends in
    /// them.
    Typed,
    /// The operand at this place is a file of code.
    Script {
        /// Its place, from 0.
        at: u8,
        /// The code's language.
        language: Language,
    },
    /// What comes in through the pipe is code, unless code or a script is given otherwise.
    Stdin {
        /// The code's language.
        language: Language,
    },
    /// The value of one of the options is a file of code.
    ScriptOption {
        /// The options.
        options: List,
        /// The code's language.
        language: Language,
    },
    /// What comes in through the pipe is code, whatever else is given, unless a command was found.
    StdinAlways {
        /// The code's language.
        language: Language,
    },
    /// The same, when one of the options is given.
    StdinWith {
        /// The options.
        options: List,
        /// The code's language.
        language: Language,
    },
    /// `+command` arguments are code.
    PlusCommands {
        /// The code's language.
        language: Language,
    },
    /// Operands that begin with a prefix are code behind it.
    PrefixedOperands {
        /// The prefix.
        prefix: Id,
        /// What stands for a blank in the code; may be empty.
        blank: Id,
        /// The code's language.
        language: Language,
    },
    /// The value of the option, or the first operand where there is none, is a file, an image or a module that is a
    /// program by its name; the rest are its arguments.
    Named {
        /// The option; may be empty.
        option: Id,
        /// True where only programs with rules of their own count.
        known: bool,
    },
    /// A makefile, given with `-f` or named by default.
    MakeFile,
    /// `screen -dmS name program …`: a cluster that takes the session's name.
    Screen,
    /// What comes in through the pipe becomes arguments of the program.
    StdinArguments,
    /// After `:::`, every argument is put behind the program, or is a line for a shell.
    ParallelArguments,
    /// A name and a value side by side, as `git config` has them; the value is a line for a shell.
    PairSetting {
        /// Globs over the setting's name in lower case.
        names: List,
        /// Values that run nothing to look at.
        plain: List,
        /// Globs over the names of settings whose value is a line for the program itself.
        own: List,
        /// Globs over the names of settings whose value is a folder of scripts that are run.
        scripts: List,
    },
    /// The values of these settings (`name=value`, by glob on the name) are lines for a shell.
    Setting {
        /// Options whose value is a setting; none: any argument.
        options: List,
        /// Globs over the setting's name in lower case.
        names: List,
        /// Values that run nothing to look at.
        plain: List,
        /// Globs over the names of settings whose value is a line for the program itself.
        own: List,
        /// Globs over the names of settings whose value is a folder of scripts that are run.
        scripts: List,
        /// Those of the options behind whose name a variable stands that holds the value.
        held: List,
    },
}

impl Form {
    /// Says whether what it runs is SQL.
    pub const fn is_sql(&self) -> bool {
        matches!(
            self,
            Self::Code { language: Language::Sql, .. }
                | Self::Operand { language: Language::Sql, .. }
                | Self::Operands { language: Language::Sql }
                | Self::Stdin { language: Language::Sql }
        )
    }
}
