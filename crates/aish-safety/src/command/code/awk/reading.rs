//! What a program of awk does beyond its input and output, where all of it is understood.

use alloc::vec::Vec;

use super::token::{Token, tokens};

/// The longest program that is read, in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// What leads out of a program, by a name that stands in it as one string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Out<'s> {
    /// A command that is run by `system(…)`, or whose output is read.
    Run(&'s str),
    /// A command that is given what is printed, and whether that is a line of the input as it is.
    Feed(&'s str, bool),
    Read(&'s str),
    Write(&'s str),
}

/// Words of the language.
const WORDS: &[&str] = &[
    "BEGIN",
    "BEGINFILE",
    "END",
    "ENDFILE",
    "break",
    "case",
    "continue",
    "default",
    "delete",
    "do",
    "else",
    "exit",
    "for",
    "func",
    "function",
    "if",
    "in",
    "next",
    "nextfile",
    "print",
    "printf",
    "return",
    "switch",
    "while",
];

/// Functions that only compute, or close what the program itself has opened.
const FUNCTIONS: &[&str] = &[
    "and", "asort", "asorti", "atan2", "close", "compl", "cos", "exp", "fflush", "gensub", "gsub", "index", "int",
    "isarray", "length", "log", "lshift", "match", "mktime", "or", "patsplit", "rand", "rshift", "sin", "split",
    "sprintf", "sqrt", "srand", "strftime", "strtonum", "sub", "substr", "systime", "tolower", "toupper", "typeof",
    "xor",
];

/// Names by which a program reaches what it does not name: functions, variables, the interpreter.
const REACHING: &[&str] = &["FUNCTAB", "PROCINFO", "SYMTAB", "_"];

/// Marks behind which a value has ended, whatever it is.
const COMPARING: &[&str] = &["==", "!="];

/// Says whether a program of awk leads nowhere out but by what it names as strings, which is judged by itself.
pub(crate) fn is_contained(text: &str) -> bool {
    outs(text).is_some()
}

/// Reads a program; none where it is not understood, or leads out by a name that it computes.
pub(crate) fn outs(text: &str) -> Option<Vec<Out<'_>>> {
    (text.len() <= MAX_BYTES).then_some(())?;
    let reserved = |name: &str| WORDS.contains(&name) || FUNCTIONS.contains(&name) || name == "getline";
    let tokens = tokens(text, &reserved)?;
    let mut defined: Vec<&str> = Vec::new();
    for pair in tokens.windows(2) {
        if let [Token::Name("function" | "func", _), Token::Name(name, _)] = pair {
            defined.push(name);
        }
    }
    defined.sort_unstable();
    let mut reading =
        Reading { tokens: &tokens, defined: &defined, outs: Vec::new(), depth: 0, indexes: 0, prints: None };
    for at in 0..tokens.len() {
        reading.step(at)?;
    }
    let runs = reading.outs.iter().any(|out| matches!(out, Out::Run(_) | Out::Feed(..)));
    // What is set there is in the environment of the commands.
    let changes = tokens.iter().any(|token| matches!(token, Token::Name("ENVIRON", _)));
    (!(runs && changes)).then_some(reading.outs)
}

struct Reading<'t, 's> {
    tokens: &'t [Token<'s>],
    /// Names of the functions that the program defines, sorted.
    defined: &'t [&'s str],
    outs: Vec<Out<'s>>,
    /// Open round brackets.
    depth: usize,
    /// Open square brackets.
    indexes: usize,
    /// How many round brackets were open where the present `print` began, and its place.
    prints: Option<(usize, usize)>,
}

impl<'s> Reading<'_, 's> {
    fn token(&self, at: usize) -> Option<Token<'s>> {
        self.tokens.get(at).copied()
    }

    fn before(&self, at: usize, back: usize) -> Option<Token<'s>> {
        at.checked_sub(back).and_then(|at| self.token(at))
    }

    fn step(&mut self, at: usize) -> Option<()> {
        match self.token(at)? {
            Token::Name(name, called) => self.name(at, name, called)?,
            Token::Close(_) => {
                self.depth = self.depth.checked_sub(1)?;
                if self.prints.is_some_and(|(depth, _)| self.depth < depth) {
                    self.prints = None;
                }
            }
            Token::Mark("(") => self.depth += 1,
            Token::Mark("[") => self.indexes += 1,
            Token::Mark("]") => self.indexes = self.indexes.checked_sub(1)?,
            Token::Line | Token::Mark(";" | "{" | "}") => self.prints = None,
            Token::Mark(mark @ (">" | ">>" | ">=")) => self.greater(at, mark)?,
            Token::Mark("|") => self.pipe(at)?,
            Token::Number(_) | Token::Text(_) | Token::Regex | Token::Mark(_) => {}
        }
        Some(())
    }

    /// Says whether the present token belongs to a `print` and stands in no round bracket of it.
    fn is_printing(&self) -> bool {
        self.prints.is_some_and(|(depth, _)| depth == self.depth)
    }

    /// Says whether what could go on at a place has ended there.
    fn ends(&self, at: usize) -> bool {
        matches!(self.token(at), None | Some(Token::Line | Token::Mark(";" | "}")))
    }

    fn name(&mut self, at: usize, name: &'s str, called: bool) -> Option<()> {
        match name {
            "print" | "printf" => self.prints = Some((self.depth, at)),
            "getline" => return self.getline(at),
            "system" => return self.system(at),
            "close" | "fflush" => return self.ends_output(at),
            "ARGV" => return self.compares(at),
            _ if REACHING.contains(&name) => return None,
            _ if WORDS.contains(&name) || FUNCTIONS.contains(&name) => {}
            _ => {
                // A bracket behind a blank may be a call too.
                let called = called || matches!(self.token(at + 1), Some(Token::Mark("(")));
                (!called || self.defined.binary_search(&name).is_ok()).then_some(())?;
            }
        }
        Some(())
    }

    /// `>` behind `print` names a file; in brackets and elsewhere it compares.
    fn greater(&mut self, at: usize, mark: &str) -> Option<()> {
        if !self.is_printing() {
            return (mark != ">>").then_some(());
        }
        (mark != ">=" && self.indexes == 0).then_some(())?;
        let Token::Text(name) = self.token(at + 1)? else { return None };
        self.ends(at + 2).then_some(())?;
        self.outs.push(Out::Write(plain(name)?));
        Some(())
    }

    /// `print | "cmd"` and `"cmd" | getline`.
    fn pipe(&mut self, at: usize) -> Option<()> {
        if let Token::Name("getline", _) = self.token(at + 1)? {
            let Token::Text(command) = self.before(at, 1)? else { return None };
            (self.begins(at) && !self.is_printing()).then_some(())?;
            self.outs.push(Out::Run(plain(command)?));
            return Some(());
        }
        let (Token::Text(command), true) = (self.token(at + 1)?, self.is_printing() && self.indexes == 0) else {
            return None;
        };
        self.ends(at + 2).then_some(())?;
        let from = self.prints.map_or(at, |(_, from)| from);
        let printed = self.tokens.get(from + 1..at).unwrap_or_default();
        let as_it_is = matches!(
            printed,
            [] | [Token::Mark("$"), Token::Number("0")]
                | [Token::Mark("("), Token::Mark("$"), Token::Number("0"), Token::Close(_)]
        );
        self.outs.push(Out::Feed(plain(command)?, as_it_is));
        Some(())
    }

    /// Says whether the string before a place is the whole of what stands there: nothing is joined to it.
    fn begins(&self, at: usize) -> bool {
        match self.before(at, 2) {
            None
            | Some(
                Token::Line
                | Token::Close(true)
                | Token::Name("else" | "do", _)
                | Token::Mark("{" | "}" | ";" | "(" | "&&" | "||"),
            ) => true,
            Some(_) => false,
        }
    }

    /// `getline`, `getline name`, `getline name[…]`, `getline $1`, each perhaps with `< "file"`.
    fn getline(&mut self, at: usize) -> Option<()> {
        let mut next = at + 1;
        match self.token(next) {
            Some(Token::Name(name, false)) => {
                (!WORDS.contains(&name) && !FUNCTIONS.contains(&name) && name != "getline").then_some(())?;
                next = self.behind_index(next + 1)?;
            }
            Some(Token::Mark("$")) => {
                matches!(self.token(next + 1)?, Token::Number(_) | Token::Name(_, false)).then_some(())?;
                next += 2;
            }
            _ => {}
        }
        match self.token(next) {
            _ if self.ends(next) => {}
            Some(Token::Close(_) | Token::Mark("&&" | "||" | ">" | "==" | "!=")) => {}
            Some(Token::Mark("<")) => {
                let Token::Text(name) = self.token(next + 1)? else { return None };
                (self.ends(next + 2) || matches!(self.token(next + 2), Some(Token::Close(_)))).then_some(())?;
                self.outs.push(Out::Read(plain(name)?));
            }
            _ => return None,
        }
        Some(())
    }

    /// Returns the place behind an index, if one stands here.
    fn behind_index(&self, at: usize) -> Option<usize> {
        if self.token(at) != Some(Token::Mark("[")) {
            return Some(at);
        }
        let mut open = 0_usize;
        let tokens = self.tokens.get(at..)?;
        let end = tokens.iter().take(64).position(|token| {
            match token {
                Token::Mark("[") => open += 1,
                Token::Mark("]") => open -= 1,
                _ => {}
            }
            open == 0
        });
        Some(at + end? + 1)
    }

    /// `system("cmd")`, whatever blanks it has.
    fn system(&mut self, at: usize) -> Option<()> {
        let tokens = self.tokens.get(at + 1..at + 4)?;
        let [Token::Mark("("), Token::Text(command), Token::Close(_)] = tokens else { return None };
        if !command.is_empty() {
            self.outs.push(Out::Run(plain(command)?));
        }
        Some(())
    }

    /// `close("cmd")`, `fflush()`.
    fn ends_output(&self, at: usize) -> Option<()> {
        let tokens = self.tokens.get(at + 1..)?;
        matches!(
            tokens,
            [Token::Mark("("), Token::Close(_), ..] | [Token::Mark("("), Token::Text(_), Token::Close(_), ..]
        )
        .then_some(())
    }

    /// `FILENAME == ARGV[1]`: the arguments are compared; what else is done to them may name other files.
    fn compares(&self, at: usize) -> Option<()> {
        let index = self.tokens.get(at + 1..at + 4)?;
        matches!(index, [Token::Mark("["), Token::Number(_), Token::Mark("]")]).then_some(())?;
        let compared = |token: Option<Token<'s>>| matches!(token, Some(Token::Mark(mark)) if COMPARING.contains(&mark));
        let behind = self.token(at + 4);
        let ended = matches!(behind, None | Some(Token::Line | Token::Close(_) | Token::Mark("{" | "&&" | "||" | ";")));
        let stepped = matches!(self.before(at, 1), Some(Token::Mark("++" | "--") | Token::Name("getline", _)));
        (compared(self.before(at, 1)) && ended || compared(behind) && !stepped).then_some(())
    }
}

/// A name that is what is written: nothing is escaped, and it is no other machine's.
fn plain(text: &str) -> Option<&str> {
    (!text.is_empty() && !text.contains('\\') && !text.contains("/inet")).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_awk_that_lead_out_are_told_from_others() {
        for text in [
            "{ \"date\" | getline x }",
            "{print $1}",
            "$3 > 5",
            "{ if ($1 > m) m = $1 } END { print m }",
            "{ print ($1 > 2) }",
            "a || b",
            "/a|b/ { print }",
            "{ print > \"out\" }",
            "{ print | \"sort\" }",
            "{ system(\"date\") }",
            "{ print > \"/dev/stderr\" }",
            "BEGIN { while ((getline line < \"f\") > 0) n++; close(\"f\"); print n }",
            "NR == FNR { a[$1] = $2; next } $1 in a { print a[$1] / 2 }",
            "FILENAME == ARGV[1] { n++ }",
            "function f(x) { return x * 2 } { print f($1) } # done",
            "/[^\\/]/ { next } /[][a-z[:digit:]]\\/x/ { gsub(/\"/, \"\") }",
            "",
        ] {
            assert!(is_contained(text), "{text}");
        }
        for text in [
            "{ print > $1 }",
            "{ print $2 >> f }",
            "{ print | c }",
            "{ print > \"out\" $1 }",
            "{ print | \"sh \" x }",
            "{ c | getline x }",
            "{ x \"date\" | getline }",
            "{ while ((getline line < f) > 0) print line }",
            "BEGIN { system(x) }",
            "BEGIN { system (\"a\" b) }",
            "{ @f() }",
            "{ print \"a",
            "{ print |& \"sh\" }",
            "{ f($1) }",
            "{ awk::system(\"x\") }",
            "{ ARGV[1] = \"x\" }",
            "{ split($0, ARGV) }",
            "{ sys\\\ntem(\"x\") }",
            "{ if (x) /a/ }",
            "/[/]/ { print }",
            "BEGIN { close(c) }",
            "{ print a >= \"x\" }",
        ] {
            assert!(!is_contained(text), "{text}");
        }
    }

    #[test]
    fn what_leads_out_is_named() {
        let check = |text: &str, expected: &[Out<'_>]| assert_eq!(outs(text).as_deref(), Some(expected), "{text}");
        check("/\\//{print > \"out\"}", &[Out::Write("out")]);
        check("{gsub(/\"/,\"\"); system (\"touch x\")} #\"", &[Out::Run("touch x")]);
        check("# \"\nBEGIN { system(\"touch x\") }", &[Out::Run("touch x")]);
        check("{print $0 | \"sh\"; print 1 | \"sh\"}", &[Out::Feed("sh", true), Out::Feed("sh", false)]);
        check("{x = y / 2; print > \"a/b\"}", &[Out::Write("a/b")]);
    }

    #[test]
    fn long_programs_are_read_in_time() {
        for part in ["{", "(", "[", "/[", "\"a\" ", "x=1;", "getline a[", "#\n", "f() "] {
            let _ = is_contained(&part.repeat(MAX_BYTES / part.len()));
        }
    }
}
