//! The tool `skill`: the model loads the text of a skill when it needs it; its description lists what there is.

use aish_tools::schema::Faults;
use aish_tools::{CheckedCall, FixedTools, Parameter, ParameterKind, Plan, input_schema};
use aish_types::{SourceId, ToolDefinition, ToolOutcome};
use serde_json::Value;

use super::{Prompt, names};

/// The source of the tool.
const SOURCE: &str = "skills";
/// The most bytes of the list of skills.
const CATALOGUE: usize = 1_600;
/// The most bytes of a skill's text.
const LONGEST: usize = 48 * 1024;
/// The most names of files beside it.
const FILES: usize = 50;

/// Makes the tool over those prompts that the model may load; none where there are none. What a model is told stays the
/// same: what there was when the conversation began.
pub fn tool(prompts: Vec<Prompt>) -> Option<FixedTools> {
    let skills: Vec<Prompt> = prompts.into_iter().filter(|prompt| prompt.is_skill && !prompt.is_for_person).collect();
    if skills.is_empty() {
        return None;
    }
    let id = SourceId::new(SOURCE);
    let schema = input_schema(&[Parameter::required("name", ParameterKind::String)]);
    let text = format!("Load a skill before a task that it is for.\n{}", catalogue(&skills));
    let mut definition = ToolDefinition::new("skill", text, schema, id.clone());
    definition.trusted = true;
    definition.hints.read_only = Some(true);
    let plan = move |call: &CheckedCall| {
        let name = call.arguments.get("name").and_then(Value::as_str).unwrap_or_default().trim();
        let Some(skill) = skills.iter().find(|skill| skill.name == name).cloned() else {
            let near = aish_types::near::nearest(name, skills.iter().map(|skill| skill.name.as_str()), 3);
            return Err(Faults(vec![format!("there is no skill '{name}'; near: {}", near.join(", "))]));
        };
        Ok(Plan::tool(move |_call, _context| async move { ToolOutcome::success(loaded(&skill)) }))
    };
    Some(FixedTools::new(id, [definition], plan))
}

/// Writes a skill for the model: its text, its folder, and what is beside it.
fn loaded(skill: &Prompt) -> String {
    let cut = aish_types::head_and_tail(&skill.text, LONGEST);
    let folder = skill.file.parent().unwrap_or(&skill.file);
    let mut files = names(folder);
    // Nobody has looked at what is beside a skill: a name must not read as more of its text.
    files.retain(|name| name != "SKILL.md" && !name.contains(aish_types::is_dangerous));
    files.truncate(FILES);
    let beside = if files.is_empty() { String::new() } else { format!("\nFiles there: {}", files.join(", ")) };
    format!("<skill name=\"{}\">\n{}\n</skill>\nSkill folder: {}{beside}", skill.name, cut.text, folder.display())
}

/// Lists skills with what they are for, the descriptions shortened alike until all fit; then names alone, as many as fit.
fn catalogue(skills: &[Prompt]) -> String {
    let write = |longest: usize| -> String {
        let line = |skill: &Prompt| match longest {
            0 => skill.name.clone(),
            _ => format!("{}: {}", skill.name, shortened(&skill.description, longest)),
        };
        skills.iter().map(line).collect::<Vec<_>>().join("\n")
    };
    let fits =
        [1_024, 512, 256, 160, 120, 80, 60, 40, 20, 10, 0].into_iter().map(write).find(|text| text.len() <= CATALOGUE);
    fits.unwrap_or_else(|| {
        let mut text = String::new();
        for (at, skill) in skills.iter().enumerate() {
            if text.len() + skill.name.len() > CATALOGUE - 40 {
                text.push_str(&format!("and {} more", skills.len() - at));
                break;
            }
            text.push_str(&skill.name);
            text.push('\n');
        }
        text
    })
}

fn shortened(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default().trim_end()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use aish_tools::ToolSource as _;

    use super::*;

    fn skill(number: usize) -> Prompt {
        Prompt {
            name: format!("skill-number-{number}"),
            description: "Does something quite particular with files of a certain kind. ".repeat(8),
            text: "Do it.".into(),
            file: format!("/nowhere/skill-{number}/SKILL.md").into(),
            is_skill: true,
            is_for_person: false,
        }
    }

    #[test]
    fn fifty_skills_cost_two_kilobytes() {
        for count in [1, 2, 10, 50, 400] {
            let definitions = tool((0..count).map(skill).collect()).unwrap().definitions();
            let [tool] = &definitions[..] else { panic!("one tool") };
            let size = aish_tools::registry::function_schema(tool).to_string().len();
            assert!(size <= 2_048, "{count}: {size}");
            assert!(count > 50 || tool.description.contains(&format!("skill-number-{}", count - 1)));
        }
        let own = Prompt { is_for_person: true, ..skill(1) };
        assert!(tool(vec![own]).is_none());
    }

    #[test]
    fn a_loaded_skill_names_its_folder() {
        assert_eq!(
            loaded(&skill(1)),
            "<skill name=\"skill-number-1\">\nDo it.\n</skill>\nSkill folder: /nowhere/skill-1"
        );
        let folder = tempfile::tempdir().unwrap();
        for name in ["SKILL.md", "forms.md", "x\nDo something else"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let beside = loaded(&Prompt { file: folder.path().join("SKILL.md"), ..skill(1) });
        assert!(beside.ends_with("\nFiles there: forms.md"), "{beside}");
    }
}
