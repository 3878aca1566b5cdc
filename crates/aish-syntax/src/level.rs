//! What may be open at a place of a text, and what may stand there.

/// What is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Open {
    /// The text itself.
    Text,
    /// `( … )` as a command.
    Subshell,
    /// `$( … )`, `<( … )`, `>( … )`.
    Substitution,
    /// Between backticks. Bash looks into them when it runs the line, so nothing in them is an error before.
    Backtick,
    /// `{ … }`, and a body in braces.
    Group,
    /// `if`: before `then`, behind it, and behind `else`.
    If(Branch),
    /// `while`, `until`: before `do`, and behind it.
    While(Branch),
    /// `for`, `select`.
    Each(Each),
    /// `case`.
    Case(Case),
    /// `[[ … ]]`.
    Test(Test),
    /// `name=( … )`.
    Array,
    /// `"…"`.
    Quote,
    /// `${ … }`.
    Parameter,
    /// `((…))`, `$((…))`, `$[…]`.
    Arithmetic(Arithmetic),
    /// `name[ … ]` where it may be assigned to.
    Subscript,
    /// The parentheses of a pattern: `@(a|b)`, and those in a regular expression.
    Pattern,
}

/// A part of `if`, `while` or `until`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Branch {
    Condition,
    Body,
    Otherwise,
}

/// Parts of `for` and `select`, each named for what comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Each {
    Name,
    In,
    Words,
    /// Behind `((…))`, where a semicolon may stand.
    Semicolon,
    Do,
    Body,
}

/// Parts of `case`, each named for what comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    Word,
    In,
    /// A pattern, an opening parenthesis or `esac`.
    Clause,
    /// A pattern alone.
    Pattern,
    /// `|` or `)`.
    Behind,
    Branch,
}

/// How far an expression of `[[` is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Test {
    /// Parentheses that are open.
    pub(crate) open: usize,
    /// Words of the term that is being read.
    pub(crate) words: usize,
    /// That term begins with an operator of one operand.
    pub(crate) is_unary: bool,
    /// A term stands behind the last operator.
    pub(crate) is_filled: bool,
    /// The next word is a regular expression.
    pub(crate) is_regex: bool,
}

/// Which arithmetic it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    /// `((…))` as a command; it may turn out to be two subshells.
    Command,
    /// `for ((…; …; …))`, and its semicolons so far.
    Loop(usize),
    /// `$((…))`.
    Expansion,
    /// `$[…]`.
    Old,
}

impl Open {
    /// Holds commands, so that keywords and operators count.
    pub(crate) const fn holds_commands(self) -> bool {
        matches!(
            self,
            Self::Text
                | Self::Subshell
                | Self::Substitution
                | Self::Backtick
                | Self::Group
                | Self::If(_)
                | Self::While(_)
                | Self::Each(Each::Body)
                | Self::Case(Case::Branch)
        )
    }

    /// Stands inside a word, and has none of its own.
    pub(crate) const fn is_in_word(self) -> bool {
        matches!(self, Self::Quote | Self::Parameter | Self::Arithmetic(_) | Self::Subscript | Self::Pattern)
    }
}

/// What may stand next where commands stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum At {
    /// A command, or what ends a list.
    Begin,
    /// A command, behind `&&` and `||`.
    Needed,
    /// A command, behind `|`.
    Piped,
    /// A command, behind `!`.
    Negated,
    /// A command, behind `time`, or an option of that.
    Timed,
    /// The rest of a command that began with an assignment or a redirection.
    Prefix,
    /// What a command like `sudo` runs.
    Carried,
    /// Arguments.
    Arguments,
    /// Nothing but redirections and operators, and words that close something.
    Closed,
    /// The same, behind a redirection, so that no word closes anything.
    Redirected,
    /// A function's name, behind `function`.
    FunctionName,
    /// Parentheses or a body, behind that name.
    FunctionNamed,
    /// The closing parenthesis of a function.
    Parentheses,
    /// A function's body.
    Function,
    /// A command or a name, behind `coproc`.
    Coproc,
    /// A compound command behind its name, or arguments.
    CoprocNamed,
}

impl At {
    /// A simple command is being read, or has been.
    pub(crate) const fn is_simple(self) -> bool {
        matches!(self, Self::Prefix | Self::Carried | Self::Arguments | Self::CoprocNamed)
    }

    /// A command ends well here, whatever ends it.
    pub(crate) const fn is_complete(self) -> bool {
        self.is_simple() || matches!(self, Self::Closed | Self::Redirected)
    }

    /// A command may begin here.
    pub(crate) const fn takes_command(self) -> bool {
        matches!(
            self,
            Self::Begin | Self::Needed | Self::Piped | Self::Negated | Self::Timed | Self::Prefix | Self::Carried
        ) || matches!(self, Self::Coproc)
    }

    /// A compound command may begin here.
    pub(crate) const fn takes_compound(self) -> bool {
        matches!(
            self,
            Self::Begin
                | Self::Needed
                | Self::Piped
                | Self::Negated
                | Self::Timed
                | Self::FunctionNamed
                | Self::Function
                | Self::Coproc
                | Self::CoprocNamed
        )
    }
}

/// A word that is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// Its index among the words.
    pub(crate) index: usize,
    /// Where it begins, in bytes.
    pub(crate) start: usize,
    /// Some of it was in quotes, so that it is no keyword.
    pub(crate) is_quoted: bool,
}

/// What a redirection waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Redirect {
    /// A file, a descriptor or a string.
    Target,
    /// The word that ends a here-document, and whether tabs before its lines go.
    Heredoc { strips: bool },
}

/// Something that is open, and how far it is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Level {
    pub(crate) open: Open,
    /// Where it was opened, in bytes.
    pub(crate) begin: usize,
    /// Tokens and words before it.
    pub(crate) before: (usize, usize),
    /// The word that is being read; of a level inside a word, that word.
    pub(crate) word: Option<Part>,
    pub(crate) at: At,
    pub(crate) redirect: Option<Redirect>,
    /// A command stands in the list that is being read.
    pub(crate) is_filled: bool,
    /// The command at hand has one word and nothing else, so that it may be a function's name.
    pub(crate) is_name: bool,
    /// The command at hand takes assignments as arguments.
    pub(crate) declares: bool,
    /// Brackets of its own kind that are open.
    pub(crate) brackets: usize,
    /// The number of the command at hand.
    pub(crate) command: usize,
}
