//! What a menu shows without colour: the library writes what is selected in capitals, and `-A` is another option than `-a`.

use reedline::{ColumnarMenu, Menu as _, Suggestion};

/// Returns what a menu drew without colour with what is selected as it is written; `>` marks it.
pub(super) fn as_written(menu: &ColumnarMenu, drawn: String) -> String {
    let selected = menu.get_values().iter().enumerate().find_map(|(index, value)| {
        let shown = menu.create_string(value, index, false);
        Some((written(&shown, value)?, shown))
    });
    match selected {
        Some((written, shown)) => drawn.replacen(&shown, &written, 1),
        None => drawn,
    }
}

/// Returns the row of a value that is selected as it is written; none of one that is not.
fn written(shown: &str, value: &Suggestion) -> Option<String> {
    let name = value.display_value();
    let (capitals, rest) = shown.strip_prefix('>')?.split_at_checked(name.len())?;
    if !capitals.eq_ignore_ascii_case(name) {
        return None;
    }
    // What is told of it stands at the end, as far as there is room.
    let told = value.description.as_deref().unwrap_or_default().replace('\n', " ");
    let ends = told.char_indices().map(|(at, _)| at).chain([told.len()]).rev();
    let told = ends.filter_map(|end| told.get(..end)).find(|told| {
        rest.len()
            .checked_sub(told.len())
            .and_then(|at| rest.get(at..))
            .is_some_and(|end| end.eq_ignore_ascii_case(told))
    })?;
    Some(format!(">{name}{}{told}", rest.get(..rest.len() - told.len())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_selected_keeps_its_case() {
        let value = |name: &str, told: Option<&str>| Suggestion {
            value: name.to_owned(),
            description: told.map(str::to_owned),
            ..Suggestion::default()
        };
        for (shown, name, told, expected) in [
            (">-A   DO NOT IGNORE", "-a", Some("do not ignore\nentries"), Some(">-a   do not ignore")),
            (">README.MD     ", "ReadMe.md", None, Some(">ReadMe.md     ")),
            (">ÜBER X Z", "über", Some("x z"), None),
            (">üBER X Z", "über", Some("x z"), Some(">über x z")),
            ("-a   do not ignore", "-a", Some("do not ignore"), None),
            (">x  ", ">x", None, None),
        ] {
            assert_eq!(written(shown, &value(name, told)).as_deref(), expected, "{shown}");
        }
    }
}
