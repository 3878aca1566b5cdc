//! Texts of several lines that a shell may take apart.
//!
//! Where a text is typed, and a shell does not take the line that begins a here-document, a quote or a list, it says so and reads the
//! lines behind by themselves: what was data is run. Only what all shells surely take may hold such data.

use alloc::collections::VecDeque;
use alloc::string::String;

/// Words that begin what shells write differently.
const ODD: &[&str] = &["case", "coproc", "end", "esac", "foreach", "function", "nocorrect", "repeat", "select", "time"];
/// Words behind which a command follows.
const BEFORE: &[&str] = &["do", "elif", "else", "if", "then", "until", "while"];
/// Brackets within which a line is no command.
const BRACKETS: [(&str, &str); 4] = [("=(", ")"), ("[[", "]]"), ("((", "))"), ("${", "}")];

/// Says whether lines of a text that are data may be run where one before them is not taken.
pub(super) fn comes_apart(text: &str) -> bool {
    let text = text.trim_end_matches('\n');
    if !text.contains('\n') {
        return false;
    }
    let mut reader = Reader::default();
    for line in text.split('\n') {
        match reader.marks.front() {
            Some(mark) if reader.quote.is_none() => {
                let line = if mark.tabs { line.trim_start_matches('\t') } else { line };
                reader.odd |= line.contains('!');
                // As between double quotes, where a quote is a letter.
                reader.odd |= !mark.quoted && line.contains(['\'', '"', '`']) && line.contains(['$', '`']);
                if line == mark.text {
                    reader.marks.pop_front();
                }
            }
            _ => {
                reader.line(line);
                reader.holds_data |= reader.quote.is_some() || !reader.marks.is_empty();
            }
        }
    }
    reader.odd && (reader.holds_data || text.contains("<<") || has_open_brackets(text))
}

/// Says whether a line ends between brackets, or within the patterns of a `case`.
fn has_open_brackets(text: &str) -> bool {
    let spans = |(open, close): &(&str, &str)| {
        text.split(open).skip(1).any(|rest| rest.split(close).next().unwrap_or_default().contains('\n'))
    };
    BRACKETS.iter().any(spans)
        || text.contains("case") && text.split('\n').any(|line| line.trim_start().starts_with('('))
}

/// What ends a here-document.
struct Mark {
    text: String,
    /// Nothing in the document is expanded.
    quoted: bool,
    /// Tabs that lines begin with are left out.
    tabs: bool,
}

/// What was read so far.
#[derive(Default)]
struct Reader {
    quote: Option<char>,
    /// Of here-documents that have not ended.
    marks: VecDeque<Mark>,
    /// Something was read that not all shells surely take.
    odd: bool,
    /// A line ended within a quote or before a here-document.
    holds_data: bool,
    /// The word that is being read, as far as it is not quoted.
    word: String,
    place: Place,
}

/// What a word is.
#[derive(Clone, Copy, Default, PartialEq)]
enum Place {
    #[default]
    Command,
    /// The name behind `for`.
    Name,
    Operand,
}

impl Reader {
    fn line(&mut self, line: &str) {
        let mut rest = line;
        let mut before = '\n';
        while let Some(letter) = rest.chars().next() {
            let tail = rest.get(letter.len_utf8()..).unwrap_or_default();
            rest = match self.quote {
                Some('"') => self.quoted(letter, tail),
                Some(quote) => {
                    self.odd |= letter == '!';
                    self.quote = Some(quote).filter(|_| letter != quote);
                    tail
                }
                None => self.plain(letter, before, tail),
            };
            before = letter;
        }
        if self.quote.is_none() {
            self.ends_command();
        }
    }

    /// Reads a letter between double quotes; returns what is left.
    fn quoted<'t>(&mut self, letter: char, tail: &'t str) -> &'t str {
        match letter {
            '"' => self.quote = None,
            '\\' => return behind_first(tail),
            '`' | '!' => self.odd = true,
            '$' => return self.variable(tail),
            _ => {}
        }
        tail
    }

    /// Reads a letter outside quotes; returns what is left.
    fn plain<'t>(&mut self, letter: char, before: char, tail: &'t str) -> &'t str {
        let next = tail.chars().next();
        match letter {
            '\'' | '"' => {
                self.odd |= before == '$';
                self.quote = Some(letter);
                self.word.push(letter);
            }
            '\\' => {
                self.word.push(letter);
                return behind_first(tail);
            }
            ' ' | '\t' => self.ends_word(),
            '~' if next.is_some_and(char::is_alphanumeric) => self.odd = true,
            _ if letter.is_whitespace() => self.odd = true,
            '$' => {
                self.word.push(letter);
                return self.variable(tail);
            }
            ';' => {
                self.odd |= matches!(next, Some(';' | '&' | '|'));
                self.ends_command();
            }
            '|' => {
                self.odd |= next == Some('&');
                self.ends_command();
            }
            '&' if next == Some('&') => {
                self.ends_command();
                return behind_first(tail);
            }
            '&' => self.odd |= !(matches!(before, '<' | '>') && next.is_some_and(|next| next.is_ascii_digit())),
            '<' | '>' => return self.redirect(letter, tail),
            '[' => {
                self.odd |= !self.word.is_empty() || !next.is_some_and(char::is_whitespace);
                self.word.push(letter);
            }
            ']' => {
                self.odd |= !before.is_whitespace();
                self.word.push(letter);
            }
            '^' if before == '\n' => self.odd = true,
            '`' | '(' | ')' | '{' | '}' | '#' | '!' => self.odd = true,
            _ => self.word.push(letter),
        }
        tail
    }

    /// Reads what stands behind `$`: a name, also in braces.
    fn variable<'t>(&mut self, tail: &'t str) -> &'t str {
        let Some(inside) = tail.strip_prefix('{') else {
            // Other signs are splitting and patterns to zsh, or begin what is looked at elsewhere.
            let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_?@*-\"/ \t".contains(letter);
            self.odd |= !tail.is_empty() && !tail.starts_with(is_plain);
            return tail;
        };
        match inside.split_once('}').filter(|(name, _)| is_name(name)) {
            Some((_, behind)) => behind,
            None => {
                self.odd = true;
                tail
            }
        }
    }

    /// Reads a redirect, with the mark of a here-document; returns what is left.
    fn redirect<'t>(&mut self, letter: char, tail: &'t str) -> &'t str {
        let is_first = self.place == Place::Command && self.word.chars().all(|letter| letter.is_ascii_digit());
        self.odd |= is_first || self.place == Place::Name;
        self.ends_word();
        let Some(behind) = tail.strip_prefix('<').filter(|_| letter == '<') else { return tail };
        if let Some(behind) = behind.strip_prefix('<') {
            return behind;
        }
        let (tabs, behind) = behind.strip_prefix('-').map_or((false, behind), |behind| (true, behind));
        let behind = behind.trim_start_matches([' ', '\t']);
        let quote = behind.chars().next().filter(|letter| matches!(letter, '\'' | '"'));
        let inside = quote.map_or(behind, |_| behind_first(behind));
        let end = inside.find(|letter| !is_of_a_name(letter)).unwrap_or(inside.len());
        let (mark, behind) = inside.split_at_checked(end).unwrap_or((inside, ""));
        let behind = match quote {
            Some(quote) => behind.strip_prefix(quote),
            None => Some(behind),
        };
        match behind.filter(|behind| !mark.is_empty() && !behind.starts_with(|next: char| !" \t;|&<>".contains(next))) {
            Some(behind) => {
                self.marks.push_back(Mark { text: mark.into(), quoted: quote.is_some(), tabs });
                behind
            }
            None => {
                self.odd = true;
                tail
            }
        }
    }

    fn ends_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let word = self.word.as_str();
        self.place = match self.place {
            Place::Name => {
                self.odd |= word.starts_with(|first: char| first.is_ascii_digit()) || !is_name(word);
                Place::Operand
            }
            Place::Command if word == "for" => Place::Name,
            Place::Command if BEFORE.contains(&word) || is_assignment(word) => Place::Command,
            Place::Command => {
                self.odd |= ODD.contains(&word);
                Place::Operand
            }
            Place::Operand => Place::Operand,
        };
        self.word.clear();
    }

    fn ends_command(&mut self) {
        self.ends_word();
        self.odd |= self.place == Place::Name;
        self.place = Place::Command;
    }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

/// Says whether a text has letters of a name alone; an argument's number is one, too.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_of_a_name)
}

fn is_of_a_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

fn behind_first(text: &str) -> &str {
    text.chars().next().and_then(|letter| text.get(letter.len_utf8()..)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_shells_take_holds_together() {
        for text in [
            "ls\n",
            "a}; b\nc",
            "cat <<EOF\nhello (you) {all}\nEOF",
            "cat <<-'E' | sort -u && ls\n\ta b\n\tE\nls",
            "awk '\n{ print $1 }\n' f | sort > /dev/null 2>&1",
            "for f in *.c; do awk '\n{ print }\n' \"$f\"; done",
            "if [ -f x ]; then sed -n '\np' ${x}; else ls; fi",
            "X=1 while read line; do echo \"$line\"; done <<A <<B\nx\nA\ny\nB",
            "x=$(ls)\necho \"$x\"",
            "case $x in\na) ls;;\nesac",
        ] {
            assert!(!comes_apart(text), "{text}");
        }
    }

    #[test]
    fn data_behind_what_one_shell_refuses_may_be_run() {
        for before in [
            "a};",
            "[[ a =~ a|b ]];",
            "case x in esac) ls;; esac;",
            "! ls;",
            "for 1x in a; do ls; done;",
            "x=1 &",
            "function f if a; then b; fi;",
            "coproc X { ls; };",
            "echo ?(a);",
            "echo !;",
            "echo $(if);",
            "time -p ls;",
            "echo \"`if`\";",
            "echo $'a';",
            "x[1=2;",
            "ls |& cat;",
            "ls ;;",
            "> f if a;",
            "echo ${x y};",
            "repeat 2",
            "ls # '\n",
        ] {
            for data in ["cat <<'E'\ntouch c\nE", "echo 'x\ntouch c\n'", "echo \"x\ntouch c\n\"", "x=(\ntouch c\n)"] {
                let text = alloc::format!("{before} {data}");
                assert!(comes_apart(&text), "{text}");
            }
        }
        for text in [
            "<<E&\nx\ntouch c\nE",
            "cat <<'E'; x=1 &\ntouch c\nE",
            "echo $(cat <<'B')\ntouch c\nB",
            "echo \"$(cat <<'B')\"\ntouch c\nB",
            "x=(\ntouch c\n)",
            "[[ a &&\ntouch == touch ]]",
            "case x in\n(halt)\nls;;\nesac",
            "cat <<$E\ntouch c\n$E",
            "cat <<E\n!x\nE",
            "cat <<E\nit's\nE\nx='-fprint c'; find d $=x",
            "cat <<E\nit's ${x:-'$(touch c)'}\nE",
            "echo '\n!x'",
        ] {
            assert!(comes_apart(text), "{text}");
        }
    }
}
