//! Facts about a program that are true or not, and the few that have one of some values.

/// Makes an enum whose variants have names in the data.
macro_rules! named {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// All of them with their names in the data.
            pub const ALL: &'static [(&'static str, Self)] = &[$(($text, Self::$variant),)*];

            /// Finds one by its name in the data.
            pub fn named(text: &str) -> Option<Self> {
                Self::ALL.iter().find(|(name, _)| *name == text).map(|(_, found)| *found)
            }

            /// Returns its name in the data.
            pub fn as_str(self) -> &'static str {
                Self::ALL.iter().find(|(_, found)| *found == self).map_or("", |(name, _)| name)
            }
        }
    };
}

pub(crate) use named;

named! {
    /// What is true of a program: the words of `is = [...]`.
    Trait {
        /// A shell.
        Shell = "shell",
        /// A shell to which `((` opens a subshell in a subshell.
        PlainShell = "plain-shell",
        /// Looks at the names of files and not at their content, or prints what it is given.
        NameOnly = "name-only",
        /// What it is given is no secret that it reads: it prints words or looks at names.
        PrintsWords = "prints-words",
        /// Its words are what it looks for or says, and never a file's name that is a command (`|cmd`).
        Quotes = "quotes",
        /// Its output or target file comes from another machine.
        Fetches = "fetches",
        /// Runs another program as another user.
        OtherUser = "other-user",
        /// Writes some of what comes in, and does nothing else.
        Sieve = "sieve",
        /// Waits for others to send.
        Listens = "listens",
        /// Writes what it fetches to a file, unless told otherwise.
        FetchesToFile = "fetches-to-file",
        /// `-O` takes no value.
        RemoteName = "remote-name",
        /// `-o` names no target for what is fetched.
        LogOption = "log-option",
        /// Fetches to, or sends from, one of its operands.
        CopiesRemote = "copies-remote",
        /// Turns hidden text into plain text.
        Decodes = "decodes",
        /// The file of `-o` holds decoded text.
        DecodesToFile = "decodes-to-file",
        /// Puts what it reads into another file that it names.
        Copies = "copies",
        /// What it puts there is what it read, letter by letter.
        CopiesWhole = "copies-whole",
        /// Writes all records of a database.
        Dumps = "dumps",
        /// Puts what comes in through the pipe into its operands.
        WritesInput = "writes-input",
        /// Writes nothing to the pipe.
        Silent = "silent",
        /// A filter with a language of its own.
        Filter = "filter",
        /// An editor of streams: its code has commands of one letter.
        StreamEditor = "stream-editor",
        /// Its code is awk's.
        Awk = "awk",
        /// Its code is a Lisp.
        Lisp = "lisp",
        /// Its code may hold lines for a shell behind `!`.
        Bang = "bang",
        /// Its code is a configuration whose lines may be commands.
        Recipe = "recipe",
        /// Takes commands or statements as input.
        Fed = "fed",
        /// Its `run` takes names of its own.
        Tasks = "tasks",
        /// Takes several verbs, one after the other.
        SeveralVerbs = "several-verbs",
        /// Takes several commands, separated by `;`.
        SeveralCommands = "several-commands",
        /// Takes further options from the variable `TAR_OPTIONS` and its archive from `TAPE`.
        TarOptions = "tar-options",
        /// Reads standard input as statements, whatever its operands are.
        ReadsStatements = "reads-statements",
        /// What it runs is the shell's own, functions too.
        KeepsFunctions = "keeps-functions",
        /// Sets variables that stand before what it runs, as env does.
        TakesAssignments = "takes-assignments",
        /// With `-v` or `-V` it tells what a name stands for and runs nothing.
        Tells = "tells",
        /// Searches for names of files.
        Searches = "searches",
        /// Searches for names of files by an expression, as find does.
        SearchesByExpression = "searches-by-expression",
        /// Its option `-e` keeps a search to names with an ending.
        ExtensionOption = "extension-option",
        /// Searches in files, and with `-l` for their names.
        SearchesContent = "searches-content",
        /// What it runs, runs on another machine or sees another file system.
        Elsewhere = "elsewhere",
        /// Talks to another machine though its effect is another.
        Talks = "talks",
        /// Sends what it is given.
        Uploads = "uploads",
        /// Sends what it is given where one of its operands is on another machine.
        UploadsRemote = "uploads-remote",
        /// Runs or fetches what it is told, and so is never approved for good.
        NeverKept = "never-kept",
        /// Has `--help`, and does nothing else with it.
        ShowsHelp = "shows-help",
        /// Has `--version`, and does nothing else with it.
        ShowsVersion = "shows-version",
        /// `-h` asks for help, wherever it stands.
        HelpShort = "help-short",
        /// `-?` asks for help.
        HelpQuestion = "help-question",
        /// A last word `help` asks for help.
        HelpLast = "help-last",
        /// A first word `help` is followed by what is asked about.
        HelpFirst = "help-first",
        /// Knows a request for help only as its first argument.
        HelpOnlyFirst = "help-only-first",
        /// Answers a request for help whatever words stand before, and runs nothing that one of them names.
        HelpAnywhere = "help-anywhere",
        /// Takes `--help` for something else, or does its work all the same.
        NoHelp = "no-help",
        /// An interpreter whose first operand may be a script with commands of its own.
        TakesScripts = "takes-scripts",
        /// A script with commands of its own.
        Script = "script",
        /// Changes the shell that it runs in.
        ChangesShell = "changes-shell",
        /// Routing: its name is known though nothing else may be.
        WellKnown = "well-known",
        /// Routing: its name is a plain English word.
        English = "english",
        /// Routing: its arguments are free text.
        FreeText = "free-text",
        /// Routing: the rest of the line is a command.
        Prefix = "prefix",
        /// Routing: a builtin or keyword of bash.
        Builtin = "builtin",
        /// On every system: what it writes is there to be counted on.
        Everywhere = "everywhere",
        /// Routing: takes exactly two operands, any words.
        TwoOperands = "two-operands",
        /// Routing: has a grammar with words like `from` and `to`.
        Links = "links",
        /// Routing: the first operand is a pattern, any word.
        Pattern = "pattern",
        /// Routing: the operands are names of files.
        Files = "files",
        /// Routing: an editor.
        Editor = "editor",
        /// Routing: takes a script and its arguments.
        Interpreter = "interpreter",
        /// Routing: the operands are names of commands.
        Commands = "commands",
        /// Routing: the operands are targets that a project names.
        Targets = "targets",
        /// Routing: no operand is a number.
        NoNumbers = "no-numbers",
        /// Routing: the first operand may be none of its sub-commands.
        OtherVerbs = "other-verbs",
        /// Routing: the operands are names of things such as processes, accounts, packages.
        Names = "names",
        /// Routing: the operand is the name of a page.
        Pages = "pages",
        /// Routing: a section may stand before the name of a page.
        Sections = "sections",
        /// Routing: does nothing when it is given nothing.
        Idle = "idle",
        /// Routing: a lone plain word is nothing that it takes.
        NoWord = "no-word",
        /// Routing: the first operand is a method in capitals or an address.
        Methods = "methods",
        /// An operand `Name:value` is a header of what it asks for.
        HeaderItems = "header-items",
        /// Routing: compares two operands by a sign between them.
        Compares = "compares",
        /// Routing: at least two operands, one of them a path, or options.
        Placed = "placed",
        /// Routing: the operands are paths, here or on another machine.
        Paths = "paths",
        /// Routing: the first operand is a machine, the others are a command there.
        Hosts = "hosts",
        /// Routing: its name answers a question.
        Answers = "answers",
        /// Routing: its name begins requests, also where only names of files follow.
        Requests = "requests",
    }
}

/// A set of traits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traits(pub u128);

impl Traits {
    /// Adds one.
    pub fn add(&mut self, one: Trait) {
        self.0 |= 1 << one as u128;
    }

    /// Says whether one is among them.
    pub const fn has(self, one: Trait) -> bool {
        self.0 & 1 << one as u128 != 0
    }
}

named! {
    /// What a program writes to the pipe.
    Output {
        /// Nothing is known: what came in and what it was given may be in it.
        Mixed = "mixed",
        /// Its arguments, as echo.
        Echo = "echo",
        /// Its arguments by a format, as printf.
        Format = "format",
        /// Files or the pipe, as they are.
        Whole = "whole",
        /// The pipe as it is; its operands are no input.
        Piped = "piped",
        /// The files of `if=`, or the pipe.
        Blocks = "blocks",
        /// A part of files or of the pipe.
        Part = "part",
        /// A part of files or of the pipe from their end on, as tail.
        End = "end",
        /// Lines, each in reverse.
        Reversed = "reversed",
        /// Letters for letters, as tr.
        Translated = "translated",
        /// Files or the pipe, changed in a way that is not followed.
        Filtered = "filtered",
        /// The same by a script of sed.
        Edited = "edited",
        /// The same by a program of awk.
        Scanned = "scanned",
        /// The same; with `-n` it makes its text up.
        Queried = "queried",
        /// Base64, decoded with `-d`.
        Base64 = "base64",
        /// Base32, decoded with `-d`.
        Base32 = "base32",
        /// Base64 or ciphers, by sub-commands and `-d`.
        Cipher = "cipher",
        /// Hexadecimal, decoded with `-r`.
        Hexadecimal = "hexadecimal",
        /// Decoded always.
        Uudecode = "uudecode",
        /// Decoded in a way that is not followed, with `-d`.
        OtherCode = "other-code",
        /// What its code says, decoded where it imports a decoder.
        Code = "code",
        /// The working folder.
        Folder = "folder",
        /// The name of a fresh file.
        FreshName = "fresh-name",
        /// One word without end.
        Endless = "endless",
        /// The last part of a path.
        BaseName = "base-name",
        /// A path without its last part.
        FolderName = "folder-name",
        /// The processes that run, a line each; with `-t` their ids alone.
        Processes = "processes",
        /// Something harmless about the machine.
        About = "about",
        /// The last of the names it is given.
        LastName = "last-name",
        /// The variables, which may hold secrets.
        Variables = "variables",
        /// Secrets.
        Secrets = "secrets",
        /// What it runs.
        Run = "run",
        /// What a shell writes.
        Shell = "shell",
        /// What another machine sent.
        Fetched = "fetched",
        /// Decoded text.
        Decoded = "decoded",
        /// Nothing.
        Silent = "silent",
    }
}

#[expect(clippy::derivable_impls, reason = "a macro makes the enum")]
impl Default for Output {
    fn default() -> Self {
        Self::Mixed
    }
}

impl Output {
    /// Says whether the text of the files that a program is given is known to be in it.
    pub const fn shows_files(self) -> bool {
        matches!(
            self,
            Self::Whole
                | Self::Blocks
                | Self::Part
                | Self::End
                | Self::Reversed
                | Self::Filtered
                | Self::Edited
                | Self::Scanned
                | Self::Queried
                | Self::Base64
                | Self::Base32
                | Self::Hexadecimal
                | Self::Decoded
        )
    }
}

named! {
    /// What a program changes among files.
    Change {
        /// Nothing but what its `writes` name.
        Nothing = "nothing",
        /// Its operands are removed, folders with `-r`.
        Removes = "removes",
        /// Its operands are removed, none with what is below.
        Unlinks = "unlinks",
        /// Its operands are written over, folders with `-r`.
        Shreds = "shreds",
        /// Its operands get another name.
        Moves = "moves",
        /// Its operands are copied.
        Copies = "copies",
        /// Its operands are copied, folders with what is below.
        CopiesTrees = "copies-trees",
        /// Its operands are copied; with `-d` they are folders to be made.
        Installs = "installs",
        /// Its operands get links.
        Links = "links",
        /// With `-i` its operands behind the script are written, as sed.
        EditsInPlace = "edits-in-place",
        /// With `-i` its operands behind the script are written, as perl.
        RewritesInPlace = "rewrites-in-place",
        /// With `-i inplace` its operands behind the program are written, as awk.
        ScansInPlace = "scans-in-place",
        /// The mode of its operands behind the first changes; a mode may look like an option.
        Modes = "modes",
        /// The owner of its operands behind the first changes.
        Owners = "owners",
        /// The times of its operands change.
        Touches = "touches",
        /// Its operands are folders to be made.
        MakesFolders = "makes-folders",
        /// Its operands behind the first get other names.
        Renames = "renames",
        /// Its operands are replaced by packed files, or the other way round.
        Packs = "packs",
        /// What it finds is removed with `-delete`.
        Finds = "finds",
        /// Its operands are made the same as the last.
        Synchronises = "synchronises",
        /// A file is changed by what comes in.
        Patches = "patches",
        /// An archive is written or unpacked, by letters.
        Archives = "archives",
        /// Files that only an archive names are written.
        Unpacks = "unpacks",
        /// The working folder changes to one that is not known.
        Leaves = "leaves",
        /// A repository of git and what it keeps.
        Repository = "repository",
    }
}
