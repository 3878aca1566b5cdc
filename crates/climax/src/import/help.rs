//! One help text, read.

/// What a help text says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Help {
    /// The first sentence on what the command does.
    pub about: String,
    /// Sub-commands with what they do.
    pub commands: Vec<(String, String)>,
    /// Options that have a flag.
    pub options: Vec<HelpOption>,
    /// Positional arguments in order.
    pub positionals: Vec<Positional>,
    /// Lines that look like options and could not be read.
    pub unread: Vec<String>,
}

/// An option of a help text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelpOption {
    /// The flag as it is written, long where there is one; it ends in `=` where only that form is shown.
    pub flag: String,
    /// The word that stands for its value; none for a switch.
    pub value: Option<String>,
    /// What it does.
    pub description: String,
    /// The values that it may have.
    pub choices: Vec<String>,
    /// True when the text says that it must be given.
    pub required: bool,
}

/// A positional argument of a help text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Positional {
    /// Its name.
    pub name: String,
    /// What it is.
    pub description: String,
    /// False when the usage shows it in brackets.
    pub required: bool,
}

/// The part of the text that a line is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    About,
    Usage,
    Commands,
    Options,
    Positionals,
    Other,
}

impl Help {
    /// Reads a help text.
    pub fn read(text: &str) -> Self {
        let mut help = Self::default();
        let mut section = Section::About;
        let mut usage = String::new();
        for line in text.lines().map(str::trim_end) {
            let body = line.trim_start();
            let indent = line.len() - body.len();
            if let Some(rest) = strip_usage(body) {
                section = Section::Usage;
                usage.push_str(rest);
                continue;
            }
            if let Some(header) = header(line, indent) {
                section = header;
                continue;
            }
            match section {
                _ if body.is_empty() => {
                    if section == Section::Usage && !usage.trim().is_empty() {
                        section = Section::About;
                    }
                }
                _ if body.starts_with('-') && section != Section::Usage => help.option(body),
                Section::About => help.about(body),
                Section::Usage if indent > 0 => {
                    usage.push(' ');
                    usage.push_str(body);
                }
                Section::Usage => {
                    section = Section::About;
                    help.about(body);
                }
                Section::Commands => help.command(body, indent),
                Section::Positionals => help.positional(body, indent),
                Section::Options => help.continuation(body),
                Section::Other => {}
            }
        }
        help.usage(&usage);
        help
    }

    fn about(&mut self, body: &str) {
        if self.about.is_empty() {
            self.about = body.to_owned();
        }
    }

    fn command(&mut self, body: &str, indent: usize) {
        if indent == 0 || indent > 8 {
            return;
        }
        let (names, description) = columns(body);
        let name = names.split([',', ' ']).next().unwrap_or_default().trim_end_matches([':', '*']);
        let fits = name.chars().next().is_some_and(char::is_alphanumeric)
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'));
        let known = self.commands.iter().any(|(known, _)| known == name);
        if fits && !known && !matches!(name, "help" | "completion" | "completions") {
            self.commands.push((name.to_owned(), description.to_owned()));
        }
    }

    fn positional(&mut self, body: &str, indent: usize) {
        let (name, description) = columns(body);
        // argparse lists sub-commands as `{a,b}` among the positionals, and each of them below.
        if name.starts_with('{') {
            return;
        }
        if indent >= 4 && self.commands_follow(name) {
            self.command(body, indent);
            return;
        }
        let clean = clean_name(name);
        if clean.is_empty() || indent > 8 {
            return;
        }
        let required = !name.starts_with('[');
        self.positionals.push(Positional { name: clean, description: description.to_owned(), required });
    }

    /// Says whether an indented line among argparse's positionals is a sub-command.
    fn commands_follow(&self, name: &str) -> bool {
        !name.starts_with(['<', '[']) && name.chars().all(|c| c.is_lowercase() || c.is_ascii_digit() || c == '-')
    }

    /// A line below an option goes on with its description.
    fn continuation(&mut self, body: &str) {
        if let Some(option) = self.options.last_mut() {
            if option.description.is_empty() || option.description.len() < 200 {
                let gap = if option.description.is_empty() { "" } else { " " };
                option.description = format!("{}{gap}{body}", option.description);
            }
            finish(option);
        }
    }

    fn option(&mut self, body: &str) {
        let (flags, description) = columns(body);
        let mut long: Option<&str> = None;
        let mut short: Option<&str> = None;
        let mut value: Option<String> = None;
        let mut joined = false;
        for part in flags.split([',', '|']).map(str::trim) {
            let mut words = part.split_whitespace();
            let Some(first) = words.next().filter(|first| first.starts_with('-')) else { continue };
            let (flag, inline) = match first.split_once('=') {
                Some((flag, inline)) => (flag, Some(inline)),
                None => first.split_once('[').map_or((first, None), |(flag, _)| (flag, None)),
            };
            let after = words.next();
            joined |= inline.is_some() && flag.starts_with("--");
            let found = inline.or(after).map(clean_name).filter(|name| !name.is_empty());
            value = value.or(found);
            if flag.starts_with("--") {
                long = long.or(Some(flag));
            } else {
                short = short.or(Some(flag));
            }
        }
        let Some(flag) = long.or(short).filter(|flag| flag.len() > 1 && *flag != "--") else {
            self.unread.push(body.to_owned());
            return;
        };
        if matches!(flag, "--help" | "-h" | "--version") {
            return;
        }
        if self.options.iter().any(|known| known.flag.trim_end_matches('=') == flag) {
            return;
        }
        let flag = if joined { format!("{flag}=") } else { flag.to_owned() };
        let mut option =
            HelpOption { flag, value, description: description.to_owned(), choices: Vec::new(), required: false };
        finish(&mut option);
        self.options.push(option);
    }

    /// Adds the positionals that only the usage shows.
    fn usage(&mut self, usage: &str) {
        if !self.positionals.is_empty() || !self.commands.is_empty() {
            return;
        }
        for word in usage.split_whitespace() {
            let name = clean_name(word);
            let upper =
                !name.is_empty() && word.trim_matches(['[', ']', '.', '<', '>']).chars().all(|c| !c.is_lowercase());
            let angled = word.contains('<');
            let generic = matches!(
                name.as_str(),
                "options" | "option" | "flags" | "args" | "command" | "commands" | "subcommand"
            );
            let flagged = word.trim_start_matches('[').starts_with('-');
            if (!upper && !angled) || generic || flagged || self.is_value(&name) {
                continue;
            }
            if !self.positionals.iter().any(|known| known.name == name) {
                self.positionals.push(Positional {
                    name,
                    description: String::new(),
                    required: !word.starts_with('['),
                });
            }
        }
    }

    fn is_value(&self, name: &str) -> bool {
        self.options.iter().any(|option| option.value.as_deref() == Some(name))
    }
}

/// Reads choices and the mark of a required option out of a description.
fn finish(option: &mut HelpOption) {
    let text = option.description.to_lowercase();
    option.required = text.contains("[required]") || text.contains("(required)");
    let list = ["[possible values: ", "{"].iter().find_map(|open| {
        let (_, rest) = option.description.split_once(open)?;
        Some(rest.split([']', '}']).next()?.to_owned())
    });
    if let Some(list) = list.filter(|list| list.contains(',')) {
        option.choices =
            list.split(',').map(|choice| choice.trim().to_owned()).filter(|choice| !choice.is_empty()).collect();
    }
}

/// Splits a line at the first gap of two blanks or more.
fn columns(body: &str) -> (&str, &str) {
    match body.find("  ").or_else(|| body.find('\t')) {
        Some(at) => {
            let (left, right) = body.split_at(at);
            (left.trim(), right.trim())
        }
        None => (body.trim(), ""),
    }
}

fn strip_usage(body: &str) -> Option<&str> {
    let (word, rest) = body.split_once(':')?;
    word.eq_ignore_ascii_case("usage").then_some(rest)
}

/// Recognizes a heading and the part that it begins.
fn header(line: &str, indent: usize) -> Option<Section> {
    let body = line.trim();
    let name = body.strip_suffix(':').or_else(|| (is_capitals(body) && indent == 0).then_some(body))?;
    if indent > 2 || name.contains("  ") || name.starts_with('-') || name.len() > 60 {
        return None;
    }
    let name = name.to_lowercase();
    let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    Some(if ends(&["commands", "subcommands"]) {
        Section::Commands
    } else if name.contains("positional arguments") || name == "arguments" || name == "args" {
        Section::Positionals
    } else if ends(&["options", "flags", "optional arguments"]) {
        Section::Options
    } else {
        Section::Other
    })
}

fn is_capitals(body: &str) -> bool {
    body.len() > 3 && body.chars().all(|c| c.is_uppercase() || c == ' ')
}

/// Makes an argument's name of the word that stands for its value.
fn clean_name(word: &str) -> String {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let name: String = word.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    name.split('_').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("_")
}
