//! Programs that are named by a file, an image or a module: `java -jar x.jar …`, `docker run x …`, `python -m x …`.

use alloc::string::{String, ToString};

use aish_program_format::Wrapper;

use super::split::split;
use super::walk::Walker;
use super::word::{Stream, Word};
use crate::rules::programs;

impl Walker<'_> {
    /// Judges the program that an option's value, or else the first operand, names; noted only where that halts.
    pub(crate) fn named_program(
        &mut self,
        wrapper: Wrapper<'_>,
        option: &str,
        known: bool,
        arguments: &[Word],
        stdin: &Stream,
    ) -> bool {
        let at = if option.is_empty() {
            split(wrapper, arguments, 1).operands.first().copied()
        } else {
            arguments.iter().position(|word| word.text == option).map(|at| at + 1)
        };
        let Some(word) = at.and_then(|at| arguments.get(at)).filter(|word| word.is_known()) else { return false };
        let name = program_of(&word.text);
        if name.is_empty() || known && !programs::is_destructive(&name) {
            return false;
        }
        let mut words = alloc::vec![Word::literal(name)];
        words.extend(
            at.and_then(|at| arguments.get(at + 1..))
                .unwrap_or_default()
                .iter()
                .filter(|word| word.text != "--")
                .cloned(),
        );
        self.guess_program(&words, stdin)
    }
}

/// Returns the program that a file, an image or a module is.
fn program_of(text: &str) -> String {
    let last = text.rsplit(['/', '#']).next().unwrap_or_default();
    let last = last.split([':', '@']).next().unwrap_or_default();
    let bare = [".jar", ".py", ".phar", ".js", ".mjs", ".sh", ".rb"]
        .iter()
        .find_map(|end| last.strip_suffix(end))
        .unwrap_or(last);
    // A module's command is its first part: `django.core.management`.
    let bare = bare.split('.').next().unwrap_or_default();
    packaged(bare).unwrap_or(bare).to_string()
}

/// Returns the program that a package or an image of another name holds.
fn packaged(name: &str) -> Option<&'static str> {
    let mut programs = aish_programs::built_in().programs();
    programs.find(|program| program.tables().holds(program.facts().packages, name)).map(|program| program.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_of_a_name_is_the_program() {
        for (text, program) in [
            ("tools/jenkins-cli.jar", "jenkins-cli"),
            ("hashicorp/terraform:1.9", "terraform"),
            ("docker.io/amazon/aws-cli@sha256:x", "aws"),
            ("nixpkgs#kubectl", "kubectl"),
            ("awscli", "aws"),
            ("", ""),
        ] {
            assert_eq!(program_of(text), program, "{text}");
        }
    }
}
