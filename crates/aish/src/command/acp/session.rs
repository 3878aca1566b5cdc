//! One of an editor's sessions.

use std::sync::{Arc, Mutex, PoisonError};

use aish_acp::{Choice, Client, History, HostError, Permission, Prompt, Reply, Server, Stop, Wanted};
use aish_mcp::client::ServerOptions;
use aish_turn::Outcome;
use aish_types::Block;

use super::approver::{EditorApprover, SessionMode, option};
use super::diff::Differences;
use super::open_files::OpenFiles;
use super::replay::replay;
use super::surface::EditorSurface;
use crate::arguments::SharedFlags;
use crate::base::Base;
use crate::command::sources::Sources;
use crate::config::section::McpServer;
use crate::conversation::Conversation;
use crate::driver::CommandEnvironment;
use crate::live::Live;
use crate::models::{advice, no_model};
use crate::question::Question;
use crate::search::find_models;
use crate::session::{ResumedSession, new_id};
use crate::toolset;
use crate::undo::answer::journal;

/// A conversation with all that it needs.
pub(super) struct EditorSession {
    pub(super) id: String,
    base: Base,
    client: Client,
    approver: Arc<EditorApprover>,
    live: Arc<Live>,
    /// Held for the time of a turn.
    conversation: tokio::sync::Mutex<Option<Conversation>>,
    sources: tokio::sync::Mutex<Option<Sources>>,
    /// Servers whose command line nobody has seen yet, to be asked about in front of the first turn.
    unseen: Mutex<Vec<(String, ServerOptions)>>,
    turns: std::sync::atomic::AtomicU64,
}

impl EditorSession {
    /// Opens a session: a new one, or a kept one, which is shown again where that is wanted.
    pub(super) async fn start(
        shared: &SharedFlags,
        wanted: Wanted,
        client: Client,
        kept: Option<(&str, History)>,
    ) -> Result<Self, HostError> {
        if !wanted.folder.is_dir() {
            return Err(HostError::Unusable(format!("there is no folder {}", wanted.folder.display())));
        }
        let mut base = Base::load_in(shared, wanted.folder.clone());
        for server in wanted.servers {
            let (alias, server) = configured(server);
            base.config.mcp.servers.insert(alias, server);
        }
        let found = find_models(&base, shared.model.as_deref()).await;
        if found.default.is_none() {
            return Err(HostError::NoModel(no_model(shared.model.as_deref()).in_a_line()));
        }
        let resumed = kept.map(|(id, _)| resumed(&base, id)).transpose()?;
        let session = resumed.as_ref().map_or_else(|| new_id(&base.clock), |resumed| resumed.id.clone());
        let id = session.to_string();
        client.is_for(kept.map_or(id.as_str(), |(id, _)| id));
        let options = aish_shell::Options {
            program: vec![base.config.shell.program.clone().into()],
            ..aish_shell::Options::headless()
        };
        let (live, apart) = Live::of_run(options, wanted.folder, &base.secrets).with_layers(&base);
        let timeout_ms = base.config.tools.timeout_s.saturating_mul(1000);
        let files = toolset::files(&base).with_editor(Arc::new(OpenFiles(client.clone())));
        let runner = Arc::clone(&live) as Arc<_>;
        let (sources, unseen, notices) = Sources::start_unseen(&base, runner, timeout_ms, files).await;
        notices.iter().for_each(|notice| crate::run::complain(&aish_types::sanitize(notice)));
        let approver = Arc::new(EditorApprover::new(client.clone(), base.policy().approval));
        let asked = Arc::clone(&approver) as Arc<_>;
        let environment = CommandEnvironment::beside(live.surroundings(&base), apart);
        let setup = sources.setup(&base, session, asked, environment);
        let mut conversation = Conversation::new(&base, found, setup);
        conversation.driver.asker.asks_beside = true;
        if let Some(resumed) = resumed {
            if kept.is_some_and(|(_, history)| history == History::Replayed) {
                replay(&client, &resumed.session);
            }
            conversation.go_on(resumed);
        }
        Ok(Self {
            id: kept.map_or(id, |(id, _)| id.to_owned()),
            base,
            client,
            approver,
            live,
            conversation: tokio::sync::Mutex::new(Some(conversation)),
            sources: tokio::sync::Mutex::new(Some(sources)),
            unseen: Mutex::new(unseen),
            turns: std::sync::atomic::AtomicU64::new(0),
        })
    }

    pub(super) fn mode(&self) -> SessionMode {
        self.approver.session_mode()
    }

    pub(super) fn set_mode(&self, mode: SessionMode) {
        self.approver.set_mode(mode);
        self.client.show(aish_acp::Update::Mode(mode.id().to_owned()));
    }

    pub(super) fn cancel(&self) {
        self.approver.cancel();
    }

    /// Makes ready for a turn; one that is under way keeps what stops it.
    pub(super) fn begin(&self) {
        if self.conversation.try_lock().is_ok() {
            self.approver.begin();
        }
    }

    /// Plays a turn.
    pub(super) async fn play(&self, mut prompt: Prompt) -> Result<Stop, HostError> {
        let Ok(mut held) = self.conversation.try_lock() else {
            return Err(HostError::Unusable("this session plays a turn already".to_owned()));
        };
        let Some(conversation) = held.as_mut() else { return Err(HostError::NoSession(self.id.clone())) };
        let interrupt = self.approver.interrupt();
        self.ask_for_servers().await;
        let number = self.turns.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let blocks = images_of(&mut prompt);
        if prompt.text.trim().is_empty() && blocks.is_empty() {
            return Err(HostError::Unusable("the prompt is empty".to_owned()));
        }
        let session = conversation.driver.caller.session.to_string();
        let model = &conversation.driver.asker.model;
        let context = conversation.found_places.get(model).and_then(|place| place.context);
        let turn = format!("{}-{number}", new_id(&self.base.clock));
        let differences = Differences::new(journal(&self.base), &session);
        let mut surface =
            EditorSurface::new(self.client.clone(), Arc::clone(&self.approver), differences, context, turn);
        let transcript = conversation.turn.transcript();
        let memories = self.base.memories_for(&prompt.text, &self.base.folder, transcript);
        let question = Question { memories, blocks, ..Question::new(prompt.text) };
        let asked = question.asked(&mut conversation.driver.seen.read);
        let outcome = conversation.driver.play(&mut conversation.turn, asked, &mut surface, &interrupt).await;
        let error = surface.error.take();
        if interrupt.is_cancelled() {
            return Ok(Stop::Cancelled);
        }
        match outcome {
            Outcome::Answered | Outcome::Declined | Outcome::Halted => Ok(Stop::End),
            Outcome::Cut => Ok(Stop::Length),
            Outcome::Withheld => Ok(Stop::Refusal),
            Outcome::Interrupted => Ok(Stop::Cancelled),
            Outcome::DepthLimit | Outcome::Looping | Outcome::Stopped => Ok(Stop::Requests),
            Outcome::Failed | Outcome::NothingLeft | Outcome::Empty => {
                let told =
                    conversation.driver.asker.last_error.as_ref().map(|error| advice(error).in_a_line()).or(error);
                Err(HostError::Failed(told.unwrap_or_else(|| "the model gave no answer".to_owned())))
            }
        }
    }

    /// Shows the command lines of servers that start for the first time, each by itself, and starts those that may.
    async fn ask_for_servers(&self) {
        let unseen = std::mem::take(&mut *self.unseen.lock().unwrap_or_else(PoisonError::into_inner));
        for (line, options) in unseen {
            let permission = Permission {
                call: format!("mcp-{}", options.alias),
                title: aish_types::visible(&line).into_owned(),
                kind: aish_acp::Kind::Execute,
                content: Vec::new(),
                input: serde_json::Value::Null,
                options: vec![option(Reply::Once, "Start it"), option(Reply::No, "Do not start it")],
            };
            if self.client.ask(permission).await == Choice::Reply(Reply::Once)
                && let Some(sources) = self.sources.lock().await.as_ref()
            {
                sources.start_seen(&self.base, vec![(line, options)]).await;
            }
        }
    }

    /// Ends the session with all that it started.
    pub(super) async fn end(&self) {
        self.approver.cancel();
        drop(self.conversation.lock().await.take());
        let sources = self.sources.lock().await.take();
        if let Some(sources) = sources {
            sources.close().await;
        }
        self.live.close().await;
    }
}

/// Takes the images of a prompt that models take; what is left out is said in its text. One that servers refuse would be
/// refused with every later request of its session.
fn images_of(prompt: &mut Prompt) -> Vec<Block> {
    let mut blocks = Vec::new();
    for image in std::mem::take(&mut prompt.images) {
        let (mut media_type, mut data) = (image.mime, image.data);
        if crate::image::settle(&mut media_type, &mut data) {
            blocks.push(Block::Image { media_type, data });
        } else {
            let line = if prompt.text.is_empty() { "" } else { "\n" };
            prompt.text.push_str(line);
            prompt.text.push_str("(an image was left out: models take PNG, JPEG, GIF and WebP up to 20 MiB)");
        }
    }
    if prompt.text.trim().is_empty() && !blocks.is_empty() {
        prompt.text = "(the person sent an image without words)".to_owned();
    }
    blocks
}

/// Opens a kept session by its whole id.
fn resumed(base: &Base, id: &str) -> Result<ResumedSession, HostError> {
    let all = base.sessions().ok().and_then(|sessions| sessions.list().ok()).unwrap_or_default();
    if !all.iter().any(|summary| summary.id.as_str() == id) {
        return Err(HostError::NoSession(id.to_owned()));
    }
    Ok(crate::session::found::open(base, id).map_err(|why| HostError::Failed(why.in_a_line()))?.0)
}

/// Writes a server of the editor as the configuration would.
fn configured(server: Server) -> (String, McpServer) {
    let alias = |name: &str| -> String {
        let word: String = name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || c == '-' { c.to_ascii_lowercase() } else { '-' })
            .collect();
        format!("editor-{}", word.trim_matches('-'))
    };
    match server {
        Server::Program { name, command, arguments, variables } => {
            let command = Some(command.display().to_string());
            (alias(&name), McpServer { command, args: arguments, env: variables, ..McpServer::default() })
        }
        Server::Url { name, url, headers } => {
            (alias(&name), McpServer { url: Some(url), headers, ..McpServer::default() })
        }
    }
}

#[cfg(test)]
mod tests {
    use aish_acp::prompt::Image;

    use super::*;

    #[test]
    fn only_images_that_models_take_go_along() {
        let image = |mime: &str, data: &str| Image { mime: mime.into(), data: data.into() };
        let of = |text: &str, images: Vec<Image>| {
            let mut prompt = Prompt { text: text.into(), images };
            let blocks = images_of(&mut prompt).len();
            (blocks, prompt.text)
        };
        let gif = "R0lGODlh";
        assert_eq!(of("look", vec![image("image/png", gif)]), (1, "look".to_owned()));
        let (blocks, text) = of("look", vec![image("image/png", "!!!"), image("image/svg+xml", "PHN2Zy8+")]);
        assert_eq!((blocks, text.matches("left out").count()), (0, 2), "{text}");
        let (blocks, text) = of(" ", vec![image("image/gif", gif)]);
        assert!(blocks == 1 && !text.trim().is_empty(), "servers refuse empty texts");
        assert_eq!(of("", Vec::new()), (0, String::new()));
    }
}
