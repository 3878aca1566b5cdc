//! A conversation follows the project that the person works in.

use std::path::Path;

use super::Conversation;
use crate::base::Base;
use crate::project::{Project, instructions};
use crate::system_prompt::system_prompt;

impl Base {
    /// Reads the files of the project around another folder.
    pub fn project_at(&self, folder: &Path) -> Project {
        Project::read(folder, &self.config.project.instructions, &self.paths.trust())
    }
}

impl Conversation {
    /// Tells the model of another folder or branch, where that is one.
    pub fn goes_to(&mut self, base: &Base, folder: &Path) {
        if self.here.goes_to(folder, base.paths.home.as_deref()) {
            self.facts.here = self.here.line();
            self.turn.transcript_mut().set_system(system_prompt(&self.facts));
        }
    }

    /// Puts a project's trusted instructions into the system prompt, which stays as it is while they do. Returns what
    /// the person was not told yet.
    pub fn follow(&mut self, project: &Project) -> Vec<String> {
        let written = instructions::write(project, self.turn.budget().token_budget);
        if written.text != self.facts.instructions {
            self.facts.instructions = written.text;
            self.turn.transcript_mut().set_system(system_prompt(&self.facts));
        }
        let cut = written.cut.iter().map(|name| format!("{name} is long: the model gets its beginning and its end"));
        let notices: Vec<String> = project.notice().into_iter().chain(cut).collect();
        notices.into_iter().filter(|notice| self.told.insert(notice.clone())).collect()
    }
}
