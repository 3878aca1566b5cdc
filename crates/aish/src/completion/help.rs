//! What a program says of its options and sub-commands itself, where no manual page does: `NAME --help`, run within bounds and
//! only where what is known of programs judges that it shows help and nothing else.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use aish_process::{Command, Environment};
use aish_safety::{Policy, Surroundings, Verdict};
use climax::import::Help;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::manual::{Page, sentence};
use crate::explained::analysed;

/// How long a program may take for its help.
const LIMIT: Duration = Duration::from_millis(700);
/// Bytes of a help text that are kept.
const MOST: usize = 512 * 1024;
/// Pages that are kept.
const KEPT: usize = 64;
/// What makes programs write plain lines that are not wrapped, to nobody.
const PLAIN: &[(&str, &str)] = &[
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("COLUMNS", "200"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("AWS_PAGER", ""),
];

/// Variables of the environment.
type Variables = BTreeMap<String, String>;

/// Tells whether a command line shows help and does nothing else.
pub type ShowsHelp = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// Lets what is known of programs and the person's own rules tell.
pub fn judged(policy: Policy, around: Arc<dyn Fn() -> Surroundings + Send + Sync>) -> ShowsHelp {
    Arc::new(move |line| {
        let judgement = analysed(line, &around(), &policy).judgement;
        judgement.verdict == Verdict::Allow && judgement.rule.as_str() == "help"
    })
}

/// The help texts that were read.
pub(super) struct Helps {
    pages: BTreeMap<PathBuf, BTreeMap<String, Arc<Page>>>,
    shows_help: ShowsHelp,
    runtime: Handle,
    /// How long a program may take.
    limit: Duration,
}

impl Helps {
    pub(super) fn new(shows_help: ShowsHelp, runtime: Handle) -> Self {
        Self { pages: BTreeMap::new(), shows_help, runtime, limit: LIMIT }
    }

    /// Returns what a program says of itself or, where it lists that word, of its sub-command; an empty page where it may not
    /// be run for that. `variables` are those that the shell exports, `folder` is where it is.
    pub(super) fn page(
        &mut self,
        program: &str,
        word: Option<&str>,
        variables: &Variables,
        folder: &Path,
    ) -> Arc<Page> {
        let path = variables.get("PATH").map_or("", String::as_str);
        let Some(file) = found(program, path, folder) else { return Arc::default() };
        let whole = self.asked(&file, program, "", variables);
        match word {
            Some(word) if whole.commands.iter().any(|(name, _)| name == word) => {
                self.asked(&file, program, word, variables)
            }
            Some(_) | None => whole,
        }
    }

    fn asked(&mut self, file: &Path, program: &str, word: &str, variables: &Variables) -> Arc<Page> {
        if let Some(page) = self.pages.get(file).and_then(|pages| pages.get(word)) {
            return Arc::clone(page);
        }
        if self.pages.values().map(BTreeMap::len).sum::<usize>() >= KEPT {
            self.pages.clear();
        }
        let words: Vec<&str> = [program, word].into_iter().filter(|word| !word.is_empty()).collect();
        let text = (self.shows_help)(&format!("{} --help", words.join(" "))).then(|| self.text(file, word, variables));
        let page = Arc::new(text.flatten().map(|text| read(&text, &words)).unwrap_or_default());
        self.pages.entry(file.to_owned()).or_default().insert(word.to_owned(), Arc::clone(&page));
        page
    }

    /// Runs a program for its help; none where it takes too long.
    fn text(&self, file: &Path, word: &str, variables: &Variables) -> Option<String> {
        let own = variables.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let environment = Environment::of(own.chain(PLAIN.iter().copied()));
        let words = [word, "--help"].into_iter().filter(|word| !word.is_empty());
        let command = Command::new(file).args(words).environment(environment).cwd("/");
        let command = command.output_cap(MOST).drain(Duration::ZERO).grace(Duration::ZERO).timeout(self.limit);
        let outcome = self.runtime.block_on(aish_process::run(&command, &CancellationToken::new())).ok()?;
        let text = outcome.stdout.clean_text();
        // Some write it to the other stream.
        Some(if text.trim().is_empty() { outcome.stderr.clean_text() } else { text })
    }
}

/// Finds a program as the shell would; none that lies in the folder or below, unless that is the home folder or above it: what a
/// project brings is not known.
fn found(program: &str, path: &str, folder: &Path) -> Option<PathBuf> {
    if program.is_empty() || program.contains('/') {
        return None;
    }
    let places = std::env::split_paths(path).filter(|place| place.is_absolute());
    let is_program =
        |file: &PathBuf| file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0);
    let file = places.map(|place| place.join(program)).find(is_program)?;
    let real = file.canonicalize().ok()?;
    let is_project = folder.parent().is_some() && !std::env::home_dir().is_some_and(|home| home.starts_with(folder));
    let is_below = file.starts_with(folder) || real.starts_with(folder);
    (!(is_project && is_below)).then_some(file)
}

fn read(text: &str, words: &[&str]) -> Page {
    if Help::is_manual(text) {
        return Page::default();
    }
    let help = Help::read(text, words);
    if help.of_another {
        return Page::default();
    }
    let clean = |text: &str| sentence(&aish_types::visible(text));
    let options =
        help.options.iter().map(|option| (option.flag.trim_end_matches('=').to_owned(), clean(&option.description)));
    let commands = help.commands.iter().filter(|command| command.listed);
    Page {
        about: clean(&help.about),
        options: options.collect(),
        commands: commands.map(|command| (command.name.clone(), clean(&command.shown.about))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(folder: &Path, name: &str, text: &str) {
        let file = folder.join(name);
        std::fs::write(&file, text).unwrap();
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    const FROB: &str = "#!/bin/sh\nPATH=/usr/bin:/bin\necho \"$*\" >> \"$0.ran\"\ncase $1 in\n\
        build) printf 'Usage: frob build [OPTIONS]\\n\\nOptions:\\n  --fast  Hurries\\n' ;;\n\
        *) printf 'Frobs.\\n\\nUsage: frob [OPTIONS] <COMMAND>\\n\\nCommands:\\n  build  Builds it\\n\\nOptions:\\n  -q, --quiet  Says less\\n' ;;\nesac\n";

    #[test]
    fn a_program_is_run_for_its_help_where_that_is_known_to_be_harmless() {
        let folder = tempfile::tempdir().unwrap();
        program(folder.path(), "frob", FROB);
        let path = folder.path().display().to_string();
        let path = BTreeMap::from([("PATH".to_owned(), path)]);
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let elsewhere = Path::new("/somewhere/else");
        let ran = || std::fs::read_to_string(folder.path().join("frob.ran")).unwrap_or_default();

        let mut unknown = Helps::new(Arc::new(|_| false), runtime.handle().clone());
        assert_eq!(*unknown.page("frob", None, &path, elsewhere), Page::default());
        let mut helps = Helps::new(Arc::new(|line| line.starts_with("frob ")), runtime.handle().clone());
        // However busy the machine is.
        helps.limit = Duration::from_secs(60);
        // What lies in the folder may be anything.
        assert_eq!(*helps.page("frob", None, &path, folder.path()), Page::default());
        assert_eq!(ran(), "");

        let page = helps.page("frob", None, &path, elsewhere);
        assert_eq!(page.commands, [("build".to_owned(), "Builds it".to_owned())]);
        assert_eq!(page.told("--quiet").as_deref(), Some("Says less"));
        assert_eq!(helps.page("frob", Some("build"), &path, elsewhere).told("--fast").as_deref(), Some("Hurries"));
        // A word that it does not list may do anything.
        assert_eq!(helps.page("frob", Some("wipe"), &path, elsewhere), page);
        assert_eq!(helps.page("frob", Some("build"), &path, elsewhere).told("--quiet"), None);
        assert_eq!(ran(), "--help\nbuild --help\n");
    }

    #[test]
    fn a_program_that_does_not_end_says_nothing_and_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        program(folder.path(), "slow", "#!/bin/sh\nPATH=/usr/bin:/bin\nexec sleep 1000\n");
        let path = folder.path().display().to_string();
        let path = BTreeMap::from([("PATH".to_owned(), path)]);
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let mut helps = Helps::new(Arc::new(|_| true), runtime.handle().clone());
        assert_eq!(*helps.page("slow", None, &path, Path::new("/")), Page::default());
    }
}
