//! `:image`.

use std::path::Path;

use crate::repl::Repl;

pub(super) fn run(repl: &mut Repl, rest: &str) {
    if rest.is_empty() {
        return repl.complain(":image takes a file, as in :image plot.png");
    }
    // The shell's folder, not the program's.
    let path = Path::new(&repl.folder()).join(rest);
    match crate::image::read(&path) {
        Ok(block) => {
            repl.conversation.attached.push(block);
            let count = repl.conversation.attached.len();
            repl.say(&format!("{rest} goes along with the next question ({count} attached)"));
        }
        Err(error) => repl.complain(&crate::failure::chain(&error)),
    }
}
