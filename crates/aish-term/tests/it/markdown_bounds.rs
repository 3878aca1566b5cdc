//! Replies that nobody writes, and a server may send: what they cost.

use std::time::Duration;

use aish_term::{Capabilities, Markdown, Theme};

use crate::screen::rendered;

const FRAME: Duration = Duration::from_millis(17);

#[test]
fn nesting_without_end_is_drawn_as_it_was_written() {
    for (opening, shown) in [("> ", "> > x"), ("- ", "- - x"), ("1. ", "1. 1. x"), ("> - ", "> - x")] {
        let source = format!("before\n\n{}x\n\nafter\n", opening.repeat(20_000));
        let screen = rendered(&[&source], 80, 24, FRAME);
        assert!(screen.ends_with("after"), "{opening:?}: {screen}");
        let flat = screen.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(shown), "{opening:?}: {screen}");
    }
    let deep = format!("{}x\n", "> ".repeat(12));
    assert_eq!(rendered(&[&deep], 80, 24, FRAME), format!("{}x", "│ ".repeat(12)));
}

#[test]
fn a_long_open_block_is_drawn_more_seldom() {
    let capabilities = Capabilities::terminal(80, 24);
    let mut markdown = Markdown::new(Theme::dark(), capabilities);
    let mut out = String::new();
    for (words, least) in [(1, 16), (20_000, 100), (200_000, 1000)] {
        let now = Duration::from_secs(words);
        markdown.push(&"word ".repeat(usize::try_from(words).unwrap()), now, &mut out);
        assert_eq!(markdown.deadline(), None, "the first piece after a pause is drawn at once");
        markdown.push("word ", now + Duration::from_millis(1), &mut out);
        let wait = markdown.deadline().map(|deadline| deadline - now);
        assert!(wait >= Some(Duration::from_millis(least)), "{words}: {wait:?}");
    }
}
