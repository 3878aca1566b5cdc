//! Puts the parts together: paths, configuration, models, tools, gate.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use aish_journal::{AuditFile, PinFile, SessionHead, WallClock};
use aish_llm::{Purpose, TokenCounter, UseEndpoint};
use aish_safety::{Approver, Gate, Mode, Policy, Surroundings};
use aish_store::{LedgerFilter, Store};
use aish_tools::{Executor, MemoryStore, Registry, builtin};
use aish_turn::{Budget, Cap, Transcript, Turn, TurnOptions};
use aish_types::{Block, Money, SessionId};

use crate::arguments::SharedFlags;
use crate::asker::{Asker, Offering};
use crate::calibration::Calibration;
use crate::config::diagnostic::{Diagnostic, Severity};
use crate::config::section::Config;
use crate::context_size::ContextSizes;
use crate::counting::Counting;
use crate::discovery::{Discovery, Listing};
use crate::driver::{Driver, SessionLog};
use crate::kept::KeptFile;
use crate::ledger::{Ledger, Limits, Shelf, start_of_day, uncovered};
use crate::models::Found;
use crate::norris::shell::OwnShell;
use crate::paths::Paths;
use crate::project::Project;
use crate::secrets::Secrets;
use crate::servers::news::CallNews;
use crate::servers::tokens::TokenFolder;
use crate::servers::writer::Sampling;
use crate::session::{KeptLog, Opening};
use crate::system_prompt::{Facts, system_prompt};
use crate::undo::UndoKeeper;

/// What every command starts from.
pub struct Base {
    /// The environment.
    pub variables: Vec<(String, String)>,
    /// The folders.
    pub paths: Paths,
    /// The configuration.
    pub config: Config,
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
    /// The whole of it, for `aish config show`.
    pub loaded: crate::config::Loaded,
    /// The configuration's file, there or not.
    pub config_path: Option<PathBuf>,
    /// The working folder.
    pub folder: PathBuf,
    /// The files of the project around it.
    pub project: Project,
    /// The clock of logs.
    pub clock: WallClock,
    /// The secrets that this run knows.
    pub secrets: Arc<Secrets>,
    /// History, memory and ledger; opened at its first use.
    pub store: Arc<Store>,
    /// When the program started.
    pub started: Instant,
}

impl Base {
    /// Reads environment and configuration. What is wrong with them is in `diagnostics`.
    pub fn load(flags: &SharedFlags) -> Self {
        let variables: Vec<(String, String)> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        let paths = Paths::from_environment(&|name| lookup(&variables, name));
        let path = flags.config.clone().or_else(|| paths.config.clone());
        let mut faults = Vec::new();
        let text = path.as_deref().and_then(|path| read_config(path, flags.config.is_some(), &mut faults));
        let user_file = path.as_deref().zip(text.as_deref());
        let mut loaded = crate::config::load(user_file, &[], &variables);
        let unreadable = faults.first().map(ToString::to_string);
        let folder = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
        let trust = paths.trust();
        let mut project = Project::read(&folder, &loaded.config.project.instructions, &trust);
        let settings: Vec<_> = project.settings().map(|file| (file.path.as_path(), file.text.as_str())).collect();
        if !settings.is_empty() {
            loaded = crate::config::load(user_file, &settings, &variables);
            project = Project::read(&folder, &loaded.config.project.instructions, &trust);
        }
        if unreadable.is_some() {
            // A file that is there and cannot be read may hold rules.
            loaded.policy = crate::config::policy::Compiled { broken: unreadable, ..Default::default() };
        }
        faults.append(&mut loaded.diagnostics);
        let clock = WallClock::default();
        let store = match &paths.state {
            Some(state) => Store::new(state.join("aish.db"), clock.clone()),
            None => Store::in_memory(clock.clone()),
        };
        let secrets = Arc::new(Secrets::collect(&variables, &loaded.config));
        Self {
            variables,
            paths,
            config: loaded.config.clone(),
            diagnostics: faults,
            loaded,
            config_path: path,
            folder,
            project,
            secrets,
            clock,
            store: Arc::new(store),
            started: Instant::now(),
        }
    }

    /// Looks a variable of the environment up.
    pub fn variable(&self, name: &str) -> Option<String> {
        lookup(&self.variables, name)
    }

    /// Returns what is known around a command.
    pub fn surroundings(&self) -> Surroundings {
        Surroundings {
            folder: Some(self.folder.display().to_string()),
            home: self.paths.home.as_ref().map(|home| home.display().to_string()),
            protected: self.protected(),
            ..Surroundings::default()
        }
    }

    /// Returns files and folders that nothing but a person may change; the file that `--config` names is one.
    pub fn protected(&self) -> Vec<String> {
        let mut protected = self.paths.protected();
        let named = self.config_path.as_deref().filter(|&path| self.paths.config.as_deref() != Some(path));
        protected.extend(named.map(|path| self.folder.join(path).display().to_string()));
        protected
    }

    /// Returns what reads the surroundings of a run's commands: its own bash is where it is, and has no aliases.
    pub fn surroundings_of_run(&self, shell: &Arc<OwnShell>) -> Arc<dyn Fn() -> Surroundings + Send + Sync> {
        let (fixed, shell) = (self.surroundings(), Arc::clone(shell));
        Arc::new(move || Surroundings { folder: shell.folder().or_else(|| fixed.folder.clone()), ..fixed.clone() })
    }

    /// Returns the policy that the gate applies.
    pub fn policy(&self) -> Policy {
        Policy {
            auto_approve: self.config.mcp.auto_approve.clone(),
            confirm_cmd: self.config.shell.confirm_cmd,
            broken: self.loaded.policy.broken.clone(),
            rules: self.loaded.policy.rules.clone(),
            ..Policy::default()
        }
    }

    /// Makes the gate.
    pub fn gate(&self, approver: Arc<dyn Approver>, mode: Mode) -> Gate {
        let kept = Arc::new(self.kept());
        Gate::new(approver, Arc::new(self.audit()), Arc::new(self.pins()), self.policy(), mode).with_kept(kept)
    }

    /// Returns the approvals for good of this project.
    pub fn kept(&self) -> KeptFile {
        let project = project_root(&self.folder).unwrap_or(&self.folder).display().to_string();
        KeptFile::new(self.in_state("approvals.json"), project)
    }

    /// Returns where decisions are written.
    pub fn audit(&self) -> AuditFile {
        AuditFile::new(self.in_state("audit.jsonl"), self.clock.clone())
    }

    /// Returns where definitions are pinned.
    pub fn pins(&self) -> PinFile {
        PinFile::new(self.in_state("pins.json"))
    }

    /// Returns where tokens of MCP servers are kept.
    pub fn tokens(&self) -> TokenFolder {
        TokenFolder::new(self.in_state("mcp-tokens"))
    }

    /// Returns the path of a file of the state folder.
    pub fn in_state(&self, name: &str) -> PathBuf {
        self.paths.in_state(name)
    }

    /// Makes the registry with the built-in tools and those of `tools.cli`.
    pub fn registry(&self) -> (Arc<Registry>, Vec<String>) {
        self.registry_over(Arc::new(self.memory()))
    }

    /// Makes the registry over another memory than the person's own.
    pub fn registry_over(&self, memory: Arc<dyn MemoryStore>) -> (Arc<Registry>, Vec<String>) {
        let registry = Registry::default();
        let notices = self.fill(&registry, memory);
        (Arc::new(registry), notices)
    }

    /// Puts the built-in tools and those of `tools.cli` into a registry; returns what is wrong with them.
    pub fn fill(&self, registry: &Registry, memory: Arc<dyn MemoryStore>) -> Vec<String> {
        let mut notices = self.add_builtins(registry, memory);
        notices.extend(crate::cli_tools::add(self, registry));
        notices
    }

    /// Puts the built-in tools into a registry, in the place of those that are there; returns what is wrong with them.
    pub fn add_builtins(&self, registry: &Registry, memory: Arc<dyn MemoryStore>) -> Vec<String> {
        let mut notices = Vec::new();
        let names = &self.config.tools.builtin;
        let memory = self.config.memory.enabled.then_some(memory);
        let ports = builtin::Ports { memory, ..builtin::Ports::default() };
        match builtin::Builtins::named(names, &ports) {
            Ok(builtins) => {
                registry.add(Arc::new(builtins));
            }
            Err(error) => {
                notices.push(format!("tools.builtin: {error}"));
                registry.add(Arc::new(builtin::Builtins::all(&ports)));
            }
        }
        notices
    }

    /// Makes the executor.
    pub fn executor(&self, registry: &Arc<Registry>) -> Arc<Executor> {
        Arc::new(Executor::new(Arc::clone(registry)).with_timeout_ms(self.config.tools.timeout_s.saturating_mul(1000)))
    }

    /// Makes the log of a new session.
    pub fn session_log(&self, id: &SessionId) -> KeptLog {
        let folder = self.paths.state.as_ref().filter(|_| self.config.history.sessions);
        KeptLog::new(folder.map(|state| Opening {
            folder: state.join("sessions"),
            id: id.clone(),
            head: SessionHead {
                folder: Some(self.folder.display().to_string()),
                project: project_root(&self.folder).map(|root| root.display().to_string()),
                forked_from: None,
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            },
            clock: self.clock.clone(),
        }))
    }

    /// Returns the limits of cost.
    pub fn limits(&self) -> Limits {
        Limits {
            warn_at: self.config.cost.warn_at_dollars.map(Money::from_dollars),
            cap_at: self.config.cost.cap_at_dollars.map(Money::from_dollars),
        }
    }

    /// Makes the books of this session.
    pub fn ledger(&self, session: &SessionId) -> Ledger {
        let shelf = Shelf {
            store: Arc::clone(&self.store),
            session: session.to_string(),
            project: project_root(&self.folder).map(|root| root.display().to_string()),
        };
        let ledger = Ledger::new(self.limits(), Money::ZERO).on(shelf);
        if self.config.cost.scope != "day" {
            return ledger;
        }
        let (store, clock) = (Arc::clone(&self.store), self.clock.clone());
        ledger.of_the_day(Box::new(move || {
            let from_ms = start_of_day(clock.millis(), &jiff::tz::TimeZone::system());
            let filter = LedgerFilter { from_ms: Some(from_ms), ..LedgerFilter::default() };
            Some(store.ledger_sum(&filter).ok()?.cost)
        }))
    }

    /// Says what is wrong with the configuration, a line each.
    pub fn faults(&self) -> Vec<String> {
        self.diagnostics.iter().map(ToString::to_string).collect()
    }

    /// Says whether the configuration has an error and not only warnings.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

/// What a conversation needs beside [`Base`].
pub struct Conversation {
    /// The driver.
    pub driver: Driver,
    /// The machine with its transcript.
    pub turn: Turn,
    /// What to tell the person.
    pub notices: Vec<String>,
    /// What the system prompt says.
    pub facts: Facts,
    /// What was told of the project's files.
    pub told: BTreeSet<String>,
    /// Where the models are.
    pub found_places: BTreeMap<String, crate::models::Place>,
    /// Whether tools are offered to models that take them.
    pub offer_tools: bool,
    /// What goes along with the next question.
    pub attached: Vec<Block>,
    /// Lets MCP servers use the model, where they may.
    pub sampling: Option<Arc<Sampling>>,
}

/// The choices that differ between the shell and `aish ask`.
pub struct Setup {
    /// Who is asked.
    pub approver: Arc<dyn Approver>,
    /// What happens to what would be asked.
    pub mode: Mode,
    /// The session.
    pub session: SessionId,
    /// Where messages are written.
    pub log: Box<dyn SessionLog>,
    /// The tools.
    pub registry: Arc<Registry>,
    /// Whether tools are offered.
    pub offer_tools: bool,
    /// Whether `CMD:` lines are proposals.
    pub commands: bool,
    /// What servers say while calls run.
    pub news: Arc<CallNews>,
    /// Reads what is known around a command.
    pub surroundings: Arc<dyn Fn() -> Surroundings + Send + Sync>,
}

impl Base {
    /// Puts a conversation together over found models.
    pub fn conversation(&self, found: Found, setup: Setup) -> Conversation {
        let ledger = Arc::new(self.ledger(&setup.session));
        self.conversation_on(found, setup, ledger)
    }

    /// Puts a conversation together over found models, on books that are open already.
    pub fn conversation_on(&self, found: Found, setup: Setup, ledger: Arc<Ledger>) -> Conversation {
        let model = found.default.clone().unwrap_or_default();
        let place = found.places.get(&model);
        let small = place.is_some_and(|place| place.small);
        let takes_tools = place.is_none_or(|place| place.tools);
        let offering = Offering {
            builtin: self.config.tools.builtin.iter().cloned().collect::<BTreeSet<_>>(),
            tools: setup.offer_tools && takes_tools,
        };
        let broker = found.broker.with_guard(Arc::clone(&ledger) as Arc<_>);
        let use_endpoint =
            if self.config.tokenize.use_endpoint { UseEndpoint::Allowed } else { UseEndpoint::Forbidden };
        let counter = TokenCounter::new(use_endpoint, broker.traffic());
        let choice = place.map(|place| place.tokenizer.clone()).unwrap_or_default();
        let asker = Asker {
            counting: Counting::new(counter, broker.model(&model).cloned(), choice),
            broker,
            model,
            registry: Arc::clone(&setup.registry),
            discovery: Discovery::over(&setup.registry, &offering.builtin, self.config.tools.direct_limit),
            listing: Listing::Direct,
            offering,
            ledger,
            summarize: self.config.context.summarize,
            purpose: Purpose::Main,
            sizes: ContextSizes::new(self.config.context.token_budget, found.places.clone()),
            calibrations: BTreeMap::new(),
            schemas: 0,
            summaries: Calibration::default(),
            counted: None,
            last_error: None,
        };
        let facts = Facts {
            system: std::env::consts::OS.to_owned(),
            shell: self.config.shell.program.clone(),
            tools: !asker.offered().is_empty(),
            commands: setup.commands,
            instructions: None,
            small,
        };
        let budget = Budget {
            max_turns: self.config.context.max_turns,
            token_budget: asker.sizes.budget(&asker.model),
            system_tokens: 0,
            schema_tokens: 0,
            tokens_per_message: 0,
        };
        let options = TurnOptions {
            cap: Cap::Rounds(self.config.mcp.max_tool_depth),
            use_tool_role: self.config.context.use_tool_role,
            commands: setup.commands,
            max_result_chars: self.config.tools.max_result_chars,
            ..TurnOptions::default()
        };
        let driver = Driver {
            asker,
            executor: self.executor(&setup.registry),
            gate: self.gate(setup.approver, setup.mode),
            session: setup.session,
            user: self.variable("USER").unwrap_or_else(|| "user".to_owned()),
            log: setup.log,
            secrets: Arc::clone(&self.secrets),
            surroundings: setup.surroundings,
            undo: UndoKeeper::open(self).map(Arc::new),
            standing_notes: Vec::new(),
            targets: HashMap::new(),
            last_outcome: None,
            news: setup.news,
            autonomous: None,
            started: self.started,
        };
        let turn = Turn::new(options, Transcript::new(system_prompt(&facts)), budget);
        let (mut notices, found_places) = (found.notices, found.places);
        notices.extend(uncovered(driver.asker.ledger.limits(), &driver.asker.broker));
        let mut conversation = Conversation {
            driver,
            turn,
            notices,
            facts,
            told: BTreeSet::new(),
            found_places,
            offer_tools: setup.offer_tools,
            attached: Vec::new(),
            sampling: None,
        };
        let said = conversation.follow(&self.project);
        conversation.notices.extend(said);
        conversation
    }
}

fn lookup(variables: &[(String, String)], name: &str) -> Option<String> {
    variables.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
}

/// Reads the configuration's file; what is wrong with it is added to `faults`.
pub fn read_config(path: &Path, wanted: bool, faults: &mut Vec<Diagnostic>) -> Option<String> {
    match std::fs::read_to_string(path) {
        Ok(text) => Some(text),
        // No config file is no fault, unless it was named.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !wanted => None,
        Err(error) => {
            faults.push(Diagnostic {
                severity: Severity::Error,
                place: path.display().to_string(),
                position: None,
                message: format!("cannot be read: {error}; the defaults are used"),
            });
            None
        }
    }
}

/// Returns the git root above a folder.
pub fn project_root(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|ancestor| ancestor.join(".git").exists())
}
