//! The program as a shell in a terminal, with a home folder of its own.

use std::path::Path;
use std::time::Duration;

use aish_testkit::model_server::ModelServer;
use aish_testkit::terminal::TerminalSession;

/// Longer than anything takes that is not hung.
const HUNG: Duration = Duration::from_secs(60);

pub(crate) struct Shell {
    session: TerminalSession,
    _home: Option<tempfile::TempDir>,
}

impl Shell {
    /// Starts the program in a new home folder and waits for the prompt.
    pub(crate) fn start(config: &str, model: Option<&ModelServer>) -> Self {
        let home = tempfile::tempdir().unwrap();
        let mut shell = Self::start_in(home.path(), config, model);
        shell._home = Some(home);
        shell
    }

    /// Starts the program in a home folder and waits for the prompt.
    pub(crate) fn start_in(home: &Path, config: &str, model: Option<&ModelServer>) -> Self {
        let folder = home.join("work");
        std::fs::create_dir_all(home.join(".config/aish")).unwrap();
        std::fs::create_dir_all(&folder).unwrap();
        // At its end a session would ask the model for facts to keep.
        let config = format!("{config}\n[memory]\nauto = false\n");
        std::fs::write(home.join(".config/aish/config.toml"), config).unwrap();
        let mut variables = vec![
            ("HOME".to_owned(), home.display().to_string()),
            ("PATH".into(), std::env::var("PATH").unwrap_or_default()),
            ("TERM".into(), "xterm-256color".into()),
            ("LANG".into(), "C.UTF-8".into()),
            ("USER".into(), "tester".into()),
        ];
        let endpoint = model.map_or_else(|| "http://127.0.0.1:9".to_owned(), ModelServer::url);
        variables.push(("OPENAI_BASE_URL".into(), endpoint));
        variables.push(("OPENAI_MODEL".into(), "scripted".into()));
        let program = Path::new(env!("CARGO_BIN_EXE_aish"));
        let session = TerminalSession::start(program, &[], &variables, &folder, (150, 60)).unwrap();
        let shell = Self { session, _home: None };
        shell.wait_prompt();
        shell
    }

    pub(crate) fn screen(&self) -> String {
        self.session.contents()
    }

    pub(crate) fn type_text(&self, text: &str) {
        self.session.type_bytes(text.as_bytes()).unwrap();
    }

    /// Waits until the screen shows all of these.
    pub(crate) fn wait(&self, texts: &[&str]) {
        let there = self.session.wait_until(HUNG, |screen| texts.iter().all(|text| screen.contains(text)));
        assert!(there, "the screen does not show {texts:?}:\n{}", self.screen());
    }

    /// Waits until the last line is an empty prompt.
    pub(crate) fn wait_prompt(&self) {
        let there = self.session.wait_until(HUNG, |screen| {
            let last = screen.trim_end().lines().last().unwrap_or_default();
            // At the right edge stands the model.
            last.rsplit_once('❯').is_some_and(|(_, typed)| typed.is_empty() || typed.starts_with("    "))
        });
        assert!(there, "there is no prompt:\n{}", self.screen());
    }

    /// Enters a line and waits for what it shows and the next prompt.
    pub(crate) fn enter(&mut self, line: &str, texts: &[&str]) {
        self.type_line(line);
        self.type_text("\r");
        self.wait(texts);
        self.wait_prompt();
    }

    /// Types a line and waits until the prompt shows it: an empty prompt that is seen behind its Enter is the next one.
    fn type_line(&self, line: &str) {
        let squeezed = |text: &str| text.split_whitespace().collect::<String>();
        let typed = squeezed(line);
        self.type_text(line);
        let there = self.session.wait_until(HUNG, |screen| {
            screen.rsplit_once('❯').is_some_and(|(_, shown)| squeezed(shown).starts_with(&typed))
        });
        assert!(there, "the prompt does not show {line:?}:\n{}", self.screen());
    }

    /// Looks until a server is connected.
    pub(crate) fn enter_until_connected(&mut self, alias: &str) {
        let begin = format!("{alias}  ");
        for _ in 0..200 {
            self.enter(":mcp list", &[&begin]);
            let screen = self.screen();
            let last = screen.lines().rev().find(|line| line.starts_with(&begin)).unwrap_or_default().to_owned();
            if last.ends_with("connected") {
                self.type_text("\u{c}");
                self.wait_prompt();
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("{alias} is not connected:\n{}", self.screen());
    }

    /// Ends the program by the end of its input.
    pub(crate) fn quit(&mut self) {
        // What is typed before the prompt is there goes into the line.
        self.wait_prompt();
        self.type_text("\u{4}");
        assert_eq!(self.session.exit_code(HUNG), Some(0), "{}", self.screen());
    }
}
