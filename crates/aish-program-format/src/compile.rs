//! Makes tables of files.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::act;
use crate::builder::Builder;
use crate::fact::Traits;
use crate::file::{FormText, LossText, ProgramFile, Reference, RuleFile, SharedFile, Wraps, WrapsFile, Written};
use crate::form::Form;
use crate::loses::Loss;
use crate::pattern::{self, Check, Step};
use crate::tables::{Facts, List, Opens, RuleRow, Use, WrapperRow};
use crate::verdict::Verdict;

mod places;

/// What is wrong between files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The file, without its ending.
    pub file: String,
    /// A text at the place, to find the line by.
    pub near: String,
    /// What is wrong.
    pub message: String,
}

/// Files by their names, without endings.
pub type Files<T> = Vec<(String, T)>;

/// Lays out what files say.
///
/// # Errors
/// All that is wrong between them: names and ids given twice, references to what is not there.
pub fn compile(programs: &Files<ProgramFile>, shared: &Files<SharedFile>) -> Result<Builder, Vec<Fault>> {
    let mut maker = Maker { shared: true, ..Maker::default() };
    for (file, content) in shared {
        maker.own(file, &content.rule, &content.wraps);
    }
    maker.shared = false;
    for (file, content) in programs {
        maker.own(file, &content.rule, &content.wraps);
    }
    for (file, content) in programs {
        maker.program(file, content);
    }
    if maker.builder.is_full() {
        maker.fault("", "", "there are more than 65,535 texts".to_string());
    }
    if maker.faults.is_empty() { Ok(maker.builder) } else { Err(maker.faults) }
}

#[derive(Default)]
struct Maker {
    builder: Builder,
    rules: BTreeMap<String, u16>,
    /// True while rules of several programs are read.
    shared: bool,
    /// The ids of rules that allow.
    allowing: BTreeSet<String>,
    /// The ids of those that are about sub-commands.
    worded: BTreeSet<String>,
    /// The ids of those that ask or halt for an option by which more than a text is shown.
    optional: BTreeSet<String>,
    /// The ids of those for which every option is harmless.
    sparing: BTreeSet<String>,
    /// What rules have under `flags`.
    flags: BTreeMap<String, Vec<String>>,
    wrappers: BTreeMap<String, u16>,
    names: BTreeSet<String>,
    faults: Vec<Fault>,
}

impl Maker {
    fn fault(&mut self, file: &str, near: &str, message: String) {
        self.faults.push(Fault { file: file.to_string(), near: near.to_string(), message });
    }

    /// Keeps the rules and wrappers that stand in a file in full.
    fn own(&mut self, file: &str, rules: &[RuleFile], wraps: &[WrapsFile]) {
        for rule in rules {
            if let Reference::Own(written) = &rule.rule {
                self.rule(file, written);
            }
        }
        for one in wraps {
            if let Reference::Own(written) = &one.wraps {
                self.wrapper(file, written);
            }
        }
    }

    fn rule(&mut self, file: &str, written: &Written) {
        let parsed = match pattern::parse(&written.on, &mut self.builder) {
            Ok(parsed) => parsed,
            Err(message) => return self.fault(file, &written.on, message),
        };
        self.contradicts(file, written, &parsed);
        let (steps, tests) = self.builder.pattern(&parsed);
        // What a rule asks for is known to it.
        let asked: Vec<&str> = parsed.asked.iter().map(String::as_str).collect();
        let flags: Vec<&str> = written.flags.0.iter().map(String::as_str).chain(asked).collect();
        let row = RuleRow {
            id: self.builder.text(&written.id),
            file: self.builder.text(file),
            shared: self.shared,
            effect: written.effect,
            verdict: written.verdict,
            reason: self.builder.text(&written.reason),
            shows: written.shows,
            strict: parsed.tests.iter().any(|test| test.negated),
            spares_operands: parsed
                .tests
                .iter()
                .all(|test| !test.negated || matches!(test.check, Check::Given(_) | Check::Value(..))),
            steps,
            tests,
            letters: parsed.letters,
            option: parsed.option,
            looks: written.looks,
            picks: written.picks,
            alone: written.alone,
            harmless: written.harmless,
            flags: self.builder.list(&flags),
            values: self.builder.list(&written.values.0),
        };
        let number = self.builder.rule(row);
        if written.harmless {
            self.sparing.insert(written.id.clone());
        }
        if row.asks_for_option(&parsed.tests) {
            self.optional.insert(written.id.clone());
        }
        if written.verdict == Verdict::Allow {
            self.allowing.insert(written.id.clone());
            if matches!(parsed.steps.first(), Some(Step::Word(_))) {
                self.worded.insert(written.id.clone());
            }
            self.flags.insert(written.id.clone(), written.flags.0.clone());
        }
        if self.rules.insert(written.id.clone(), number).is_some() {
            self.fault(file, &written.id, format!("the id {} is given twice", written.id));
        }
    }

    /// Tells what of a rule says the opposite of something else in it.
    fn contradicts(&mut self, file: &str, written: &Written, parsed: &pattern::Parsed) {
        if let Some(option) = written.flags.0.iter().find(|option| written.values.0.contains(option)) {
            self.fault(file, option, format!("`{option}` is named in two lists of options of {}", written.id));
        }
        if written.verdict != Verdict::Allow
            && (written.alone || written.harmless || !written.flags.0.is_empty() || !written.values.0.is_empty())
        {
            let message = format!("{} does not allow, and says which options are harmless", written.id);
            self.fault(file, &written.id, message);
        }
        let bars = |test: &pattern::Test| test.negated && matches!(test.check, Check::Operand(_));
        if written.verdict == Verdict::Allow && parsed.steps.is_empty() && parsed.tests.iter().any(bars) {
            let message = format!("{} allows all sub-commands but those that it names", written.id);
            self.fault(file, &written.id, message);
        }
    }

    fn wrapper(&mut self, file: &str, written: &Wraps) {
        let forms: Vec<Form> = written.forms.iter().map(|form| self.form(form)).collect();
        let row = WrapperRow {
            id: self.builder.text(&written.id),
            file: self.builder.text(file),
            takes: self.builder.list(&written.takes.0),
            words: self.builder.list(&written.words.0),
            folder: self.builder.list(&written.folder.0),
            forms: self.builder.forms(forms),
            floor: if written.asked { Verdict::Ask } else { Verdict::Allow },
            example: self.builder.text(&written.example),
        };
        let number = self.builder.wrapper(row);
        if self.wrappers.insert(written.id.clone(), number).is_some() {
            self.fault(file, &written.id, format!("the id {} is given twice", written.id));
        }
    }

    fn form(&mut self, form: &FormText) -> Form {
        let builder = &mut self.builder;
        match form {
            FormText::Program(text) => Form::Program { skip: text.skip },
            FormText::Text(text) => Form::Text { skip: text.skip },
            FormText::TextWith(text) => Form::TextWith { options: builder.list(&text.options.0) },
            FormText::Entry(text) => Form::Entry { option: builder.text(&text.option), skip: text.skip },
            FormText::Code(text) => Form::Code {
                options: builder.list(&text.options.0),
                prefix: builder.text(&text.prefix),
                language: text.language,
            },
            FormText::Marked(text) => {
                Form::Marked { markers: builder.list(&text.markers.0), ends: builder.list(&text.ends.0) }
            }
            FormText::Operand(text) => Form::Operand { at: text.at, language: text.language },
            FormText::Operands(text) => Form::Operands { language: text.language },
            FormText::Typed {} => Form::Typed,
            FormText::Script(text) => Form::Script { at: text.at, language: text.language },
            FormText::Stdin(text) => Form::Stdin { language: text.language },
            FormText::ScriptOption(text) => {
                Form::ScriptOption { options: builder.list(&text.options.0), language: text.language }
            }
            FormText::StdinAlways(text) => Form::StdinAlways { language: text.language },
            FormText::StdinWith(text) => {
                Form::StdinWith { options: builder.list(&text.options.0), language: text.language }
            }
            FormText::PlusCommands(text) => Form::PlusCommands { language: text.language },
            FormText::PrefixedOperands(text) => Form::PrefixedOperands {
                prefix: builder.text(&text.prefix),
                blank: builder.text(&text.blank),
                language: text.language,
            },
            FormText::Named(text) => Form::Named { option: builder.text(&text.option), known: text.known },
            FormText::MakeFile {} => Form::MakeFile,
            FormText::Screen {} => Form::Screen,
            FormText::StdinArguments {} => Form::StdinArguments,
            FormText::ParallelArguments {} => Form::ParallelArguments,
            FormText::PairSetting(text) => Form::PairSetting {
                names: builder.list(&text.names.0),
                plain: builder.list(&text.plain.0),
                own: builder.list(&text.own.0),
                scripts: builder.list(&text.scripts.0),
            },
            FormText::Setting(text) => Form::Setting {
                options: builder.list(&text.options.0),
                names: builder.list(&text.names.0),
                plain: builder.list(&text.plain.0),
                own: builder.list(&text.own.0),
                scripts: builder.list(&text.scripts.0),
                held: builder.list(&text.held.0),
            },
        }
    }

    fn program(&mut self, file: &str, content: &ProgramFile) {
        if content.names.is_empty() {
            return self.fault(file, "", "`names` names no program".to_string());
        }
        for (at, list) in [&content.takes, &content.flags, &content.values].into_iter().enumerate() {
            let others = [&content.takes, &content.flags, &content.values].into_iter().take(at);
            let twice = list.0.iter().find(|option| others.clone().any(|other| other.0.contains(option)));
            if let Some(option) = twice {
                self.fault(file, option, format!("`{option}` is named in two lists of options"));
            }
        }
        self.acts(file, content);
        let facts = self.facts(file, content);
        let facts = self.builder.facts(facts);
        let named = content.rule.iter().flat_map(|rule| &rule.names);
        let named: Vec<&String> = named.chain(content.wraps.iter().flat_map(|one| &one.names)).collect();
        for name in named {
            if !content.names.contains(name) {
                self.fault(file, name, format!("`for` names {name}, which is not among the names of the file"));
            }
        }
        for name in &content.names {
            let rules = self.rules_of(file, name, content);
            let uses = self.uses_of(file, name, content);
            self.builder.program(name, facts, rules, uses);
            if !self.names.insert(name.clone()) {
                self.fault(file, name, format!("{name} is named in two files, or twice in one"));
            }
        }
    }

    /// Finds the rules of one name of a file.
    fn rules_of(&mut self, file: &str, name: &str, content: &ProgramFile) -> Vec<u16> {
        let mut rules = Vec::new();
        let own =
            || content.rule.iter().filter(|rule| rule.names.is_empty() || rule.names.iter().any(|own| own == name));
        let spares = own().any(|rule| self.sparing.contains(rule.rule.id()));
        for rule in own() {
            let id = rule.rule.id();
            if content.local.is_none() && self.allowing.contains(id) {
                let message = format!("{id} allows, and `local` does not say what of {name} reaches no other machine");
                self.fault(file, id, message);
            }
            if (content.harmless || spares) && self.optional.contains(id) {
                let message = format!("{id} asks about an option of {name}, and all are harmless by `harmless`");
                self.fault(file, id, message);
            }
            if matches!(rule.rule, Reference::Use(_)) && self.worded.contains(id) {
                self.own_words(file, id, content);
            }
            self.told_apart(file, id, content);
            match self.rules.get(id) {
                Some(number) => rules.push(*number),
                None => self.fault(file, id, format!("there is no rule {id}")),
            }
        }
        rules
    }

    /// Finds the ways in which one name of a file runs other programs.
    fn uses_of(&mut self, file: &str, name: &str, content: &ProgramFile) -> Vec<Use> {
        let mut uses = Vec::new();
        let own = |one: &&WrapsFile| one.names.is_empty() || one.names.iter().any(|own| own == name);
        for one in content.wraps.iter().filter(own) {
            let id = match &one.wraps {
                Reference::Use(id) => id,
                Reference::Own(written) => &written.id,
            };
            let Some(wrapper) = self.wrappers.get(id).copied() else {
                self.fault(file, id, format!("there is no way to run others {id}"));
                continue;
            };
            let whole = [String::new()];
            for path in if one.after.is_empty() { &whole[..] } else { &one.after } {
                let words: Vec<&str> = path.split(' ').filter(|word| !word.is_empty()).collect();
                let after = self.builder.list(&words);
                uses.push(Use { wrapper, after, path: self.builder.text(path) });
            }
        }
        uses
    }

    /// Tells when a rule that was written for other programs allows sub-commands, and nothing says which of these this
    /// one has: the same word stops a service where another tool describes it (`sv describe web`).
    fn own_words(&mut self, file: &str, id: &str, content: &ProgramFile) {
        if content.local.as_ref().is_some_and(|local| local.iter().any(|path| path == "*")) {
            let message =
                format!("{id} allows sub-commands of others, and `local` does not say which of them are its own");
            self.fault(file, id, message);
        }
    }

    /// Tells when a rule has an option without a value for harmless that takes the next argument: what stands behind
    /// it would be taken for its value, and never looked at.
    fn told_apart(&mut self, file: &str, id: &str, content: &ProgramFile) {
        let taking = |flag: &&String| content.takes.0.contains(flag) || content.values.0.contains(flag);
        let Some(flag) = self.flags.get(id).and_then(|flags| flags.iter().find(taking)) else { return };
        let message = format!("`{flag}` takes a value here, and {id} has it among `flags`");
        self.fault(file, id, message);
    }

    fn acts(&mut self, file: &str, content: &ProgramFile) {
        let program = content.names.first().map_or("", String::as_str);
        for text in &content.acts {
            match act::parse(text) {
                Ok((act, arguments)) if self.builder.act(program, act, &arguments) => {}
                Ok((act, _)) => self.fault(file, text, format!("two programs stand for `{}`", act.as_str())),
                Err(message) => self.fault(file, text, message),
            }
        }
    }

    fn writes(&mut self, file: &str, content: &ProgramFile) -> List {
        let mut out = Vec::new();
        for text in &content.writes.0 {
            match places::parse(text, &mut self.builder) {
                Ok(one) => out.push(one),
                Err(message) => self.fault(file, text, message),
            }
        }
        self.builder.writes(out)
    }

    fn facts(&mut self, file: &str, content: &ProgramFile) -> Facts {
        let written = self.writes(file, content);
        let secrets: Vec<Vec<Vec<String>>> =
            content.prints_secrets.iter().map(|command| command.iter().map(|part| part.0.clone()).collect()).collect();
        let builder = &mut self.builder;
        let takes = builder.list(&taking(content));
        let dry = builder.list(&content.dry.0);
        let loses = content.loses.iter().map(|text| kept(text, builder)).collect();
        let loses = builder.loses(loses);
        Facts {
            options: !takes.is_empty() || !dry.is_empty() || says_of_options(content),
            takes,
            dry,
            shortens: content.shortens,
            single_dash: content.single_dash,
            complete: content.complete,
            stops: content.stops,
            apart: content.apart,
            exact: content.exact,
            varies: builder.list(&content.varies.0),
            harmless: content.harmless,
            flags: builder.list(&content.flags.0),
            values: builder.list(&content.values.0),
            variables: builder.list(&content.variables.0),
            settings: builder.list(&content.settings.0),
            local: builder.list(content.local.as_deref().unwrap_or_default()),
            opens: opened(&content.opens, builder),
            plain: builder.list(&content.plain.0),
            chooses: builder.list(&content.chooses.0),
            chosen: builder.list(&content.chosen.0),
            anonymous: builder.list(&content.anonymous.0),
            traits: traits(content),
            output: content.output.unwrap_or_default(),
            numbers: builder.list(&content.numbers.0),
            change: content.changes.unwrap_or_default(),
            writes: written,
            loses,
            folder: builder.list(&content.repository.folder.0),
            elsewhere: builder.list(&content.repository.elsewhere.0),
            packs: builder.text(&content.packs),
            secrets: builder.commands(&secrets),
            statements: builder.list(&content.statements.0),
            documents: builder.list(&content.documents.0),
            changing: builder.list(&content.changing.0),
            talking: builder.list(&content.talking),
            packages: builder.list(&content.packages),
            words: content.route.words.map_or(0, |words| words.saturating_add(1)),
            taken: builder.list(&content.route.taken.0),
            least: content.route.least,
            shaped: content.route.shape.is_some(),
            shape: content.route.shape.as_ref().map(|words| builder.list(&words.0)).unwrap_or_default(),
            subcommands: builder.list(&content.route.subcommands.0),
        }
    }
}

/// Says whether anything but their names is said of a program's options.
fn says_of_options(content: &ProgramFile) -> bool {
    content.options || content.shortens || !content.varies.0.is_empty() || content.single_dash || content.complete
}

/// Puts together what a program is.
fn traits(content: &ProgramFile) -> Traits {
    let mut traits = Traits::default();
    for one in &content.is {
        traits.add(*one);
    }
    traits
}

/// Keeps what files a program opens.
fn opened(text: &crate::opens::Opens, builder: &mut Builder) -> Opens {
    Opens {
        nothing: builder.list(&text.nothing),
        named: builder.list(&text.named),
        more: builder.list(&text.more),
        below: builder.list(&text.below),
        hidden: builder.list(&text.hidden),
    }
}

/// Lists the options that take the next argument.
fn taking(content: &ProgramFile) -> Vec<&str> {
    let mut taking: Vec<&str> = content.takes.0.iter().chain(&content.values.0).map(String::as_str).collect();
    // What is written to stands behind its option; what most programs call that says nothing about one of them.
    if !content.names.iter().any(|name| matches!(name.as_str(), "*" | "?")) {
        let options = content.writes.0.iter().map(String::as_str);
        let options = options.filter(|place| place.starts_with('-') && !place.contains('>'));
        let unnamed: Vec<&str> = options.filter(|option| !taking.contains(option)).collect();
        taking.extend(unnamed);
    }
    taking
}

/// Keeps what one use loses.
fn kept(text: &LossText, builder: &mut Builder) -> Loss {
    Loss {
        on: builder.text(&text.on),
        first: builder.list(&text.first),
        with: builder.list(&text.with.0),
        dashed: text.dashed,
        nothing: text.nothing,
        tracked: text.tracked,
        against: builder.list(&text.against.0),
        paths: text.paths,
        untracked: text.untracked,
        ignored: builder.list(&text.ignored.0),
        files: text.files,
        records: text.records,
        refs: builder.text(&text.refs),
    }
}
