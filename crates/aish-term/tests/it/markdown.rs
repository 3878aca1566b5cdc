//! What a reply looks like, at every width and however it came.

use std::time::Duration;

use aish_term::{Capabilities, Markdown, Styled, Theme};
use proptest::prelude::*;

use crate::screen::{rendered, text};

const FRAME: Duration = Duration::from_millis(17);

const REPLY: &str = "\
# A heading

Some *emphasis*, **strong**, `code` and a [link](https://example.org/page). A second sentence that is long enough to wrap.
Softly broken.

1. First step:
   ```bash
   cargo build --release
   ```
2. Second with **bold
   text**
   - nested one
   - nested two

   A paragraph of the second.

3. Third

Text before a list:
- bullet 日本語テキスト
- [x] done 👩‍💻
- [ ] open

> A quote that goes on
> over two lines.

| Name | Use | Cost |
|:-----|:---:|-----:|
| `ls` | lists files in a folder | 1 |
| find | looks for files by name, size and age | 20 |

```rust
fn main() {
    println!(\"hi\"); // a comment that is quite long, so that it does not fit
}
```

---

[ref]: https://example.org

The end ~~gone~~<br>after a break.
";

fn at_once(width: u16) -> String {
    rendered(&[REPLY], width, 24, FRAME)
}

#[test]
fn eighty_columns() {
    insta::assert_snapshot!(at_once(80), @r#"
    A heading

    Some emphasis, strong, code and a link (https://example.org/page). A second
    sentence that is long enough to wrap. Softly broken.

    1. First step:
       ```bash
       cargo build --release
       ```
    2. Second with bold text
       ◦ nested one
       ◦ nested two

       A paragraph of the second.

    3. Third

    Text before a list:
    • bullet 日本語テキスト
    • ☑ done 👩‍💻
    • ☐ open

    │ A quote that goes on over two lines.

    Name │                  Use                  │ Cost
    ─────┼───────────────────────────────────────┼─────
    ls   │        lists files in a folder        │    1
    find │ looks for files by name, size and age │   20

    ```rust
    fn main() {
        println!("hi"); // a comment that is quite long, so that it does not fit
    }
    ```

    ────────────────────────────────────────────────────────────────────────────────

    [ref]: https://example.org

    The end gone
    after a break.
    "#);
}

#[test]
fn forty_columns() {
    insta::assert_snapshot!(at_once(40), @r#"
    A heading

    Some emphasis, strong, code and a link
    (https://example.org/page). A second
    sentence that is long enough to wrap.
    Softly broken.

    1. First step:
       ```bash
       cargo build --release
       ```
    2. Second with bold text
       ◦ nested one
       ◦ nested two

       A paragraph of the second.

    3. Third

    Text before a list:
    • bullet 日本語テキスト
    • ☑ done 👩‍💻
    • ☐ open

    │ A quote that goes on over two lines.

    Name │            Use             │ Cost
    ─────┼────────────────────────────┼─────
    ls   │  lists files in a folder   │    1
    find │  looks for files by name,  │   20
         │        size and age        │

    ```rust
    fn main() {
        println!("hi"); // a comment that is
     quite long, so that it does not fit
    }
    ```

    ────────────────────────────────────────

    [ref]: https://example.org

    The end gone
    after a break.
    "#);
}

#[test]
fn twenty_columns() {
    insta::assert_snapshot!(at_once(20), @r#"
    A heading

    Some emphasis,
    strong, code and a
    link
    (https://example.org
    /page). A second
    sentence that is
    long enough to wrap.
    Softly broken.

    1. First step:
       ```bash
       cargo build --rel
       ease
       ```
    2. Second with bold
       text
       ◦ nested one
       ◦ nested two

       A paragraph of
       the second.

    3. Third

    Text before a list:
    • bullet 日本語テキ
      スト
    • ☑ done 👩‍💻
    • ☐ open

    │ A quote that goes
    │ on over two lines.

    Name │  Use   │ Cost
    ─────┼────────┼─────
    ls   │ lists  │    1
         │ files  │
         │  in a  │
         │ folder │
    find │ looks  │   20
         │  for   │
         │ files  │
         │   by   │
         │ name,  │
         │  size  │
         │  and   │
         │  age   │

    ```rust
    fn main() {
        println!("hi");
    // a comment that is
     quite long, so that
     it does not fit
    }
    ```

    ────────────────────

    [ref]:
    https://example.org

    The end gone
    after a break.
    "#);
}

#[test]
fn one_column_shows_every_letter() {
    let shown = at_once(1);
    assert!(shown.lines().all(|line| line.chars().count() <= 1));
    let letters: String = shown.lines().collect();
    assert!(letters.starts_with("Aheading"), "{letters}");
    assert!(letters.contains("afterabreak."), "{letters}");
}

/// Splitting after every character, drawing each time, ends on the same screen as one piece.
#[test]
fn pieces_make_no_difference() {
    let pieces: Vec<String> = REPLY.chars().map(String::from).collect();
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    for (width, height, step) in
        [(80, 24, FRAME), (40, 5, FRAME), (20, 24, FRAME / 5), (7, 24, Duration::ZERO), (1, 24, FRAME / 5)]
    {
        assert_eq!(rendered(&pieces, width, height, step), at_once(width), "at {width} columns");
    }
}

#[test]
fn two_pieces_split_anywhere_make_no_difference() {
    let whole = at_once(40);
    for (at, _) in REPLY.char_indices().step_by(5) {
        let (head, tail) = REPLY.split_at(at);
        assert_eq!(rendered(&[head, tail], 40, 24, FRAME), whole, "split at {at}");
    }
}

fn check(source: &str, expected: &str) {
    let pieces: Vec<String> = source.chars().map(String::from).collect();
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    assert_eq!(rendered(&[source], 30, 24, FRAME), expected, "{source:?}");
    assert_eq!(rendered(&pieces, 30, 24, FRAME), expected, "{source:?} by characters");
}

#[test]
fn blocks() {
    check("", "");
    check("one\ntwo", "one two");
    check("one\n\ntwo", "one\n\ntwo");
    check("a\n===\nb", "a\n\nb");
    check("- a\n- b", "• a\n• b");
    check("- a\n\n- b", "• a\n\n• b");
    check("7. a\n7. b\n7. c", "7. a\n8. b\n9. c");
    check("- a\n  - b\n    - c\n", "• a\n  ◦ b\n    • c");
    check("- a\n1. b\n", "• a\n1. b");
    check("text\n- a\n- b\n\nafter", "text\n• a\n• b\n\nafter");
    check("> a\n> > b", "│ a\n│\n│ │ b");
    check("```\nx\n  y\n```\nz", "```\nx\n  y\n```\n\nz");
    check("```sh\nx", "```sh\nx");
    check("~~~~\n```\n~~~\n~~~~", "~~~~\n```\n~~~\n~~~~");
    check("    indented\n\n    more\n\ntext", "    indented\n\n    more\n\ntext");
    check("a | b\n--|--\n1 | 2", "a │ b\n──┼──\n1 │ 2");
    check("<div>\nx\n</div>\n\ny", "<div>\nx\n</div>\n\ny");
    check("[a]: http://b\n\nc", "[a]: http://b\n\nc");
    check("*a", "*a");
    check("**unfinished", "**unfinished");
    check("<https://a.b>", "https://a.b");
    check("[t](u \"title\")", "t (u)");
    check("![alt](http://x/y.png)", "[image: alt] (http://x/y.png)");
    check("a  \nb", "a\nb");
}

/// A proposed command begins a line of its own and is shown as it stands, wherever the text was cut.
#[test]
fn commands_stand_alone() {
    check("CMD: ls -la\n", "CMD: ls -la");
    check("I will look.\nCMD: ls -la", "I will look.\nCMD: ls -la");
    check("I will look.\nCMD: ls *.rs *.md\nThen we\nsee.", "I will look.\nCMD: ls *.rs *.md\n\nThen we see.");
    check("one\n\nCMD: `a`\nCMD: b\n\nCMD: c", "one\n\nCMD: `a`\nCMD: b\n\nCMD: c");
    check("- one\nCMD: a\n- two", "• one\nCMD: a\n• two");
    check("> said\nCMD: a", "│ said\nCMD: a");
    check("a|b\n-|-\n1|2\nCMD: c | d", "a │ b\n──┼──\n1 │ 2\nCMD: c | d");
    check("```\nCMD: x\n```\nCMD: y", "```\nCMD: x\n```\nCMD: y");
    check("not CMD: here\n CMD: nor here", "not CMD: here CMD: nor here");
}

#[test]
fn terminal_control_is_stripped() {
    check("a\u{1b}[2Jb \u{1b}]0;title\u{7}c", "ab c");
    check("`\u{1b}[31mred`", "red");
}

/// A table wider than the terminal wraps its cells; one that cannot is shown row by row.
#[test]
fn tables_fit() {
    let source = "| key | a long explanation |\n|---|---|\n| one | words that wrap in their cell |\n| two | x |\n";
    insta::assert_snapshot!(rendered(&[source], 20, 24, FRAME), @r"
    key │ a long
        │ explanation
    ────┼───────────────
    one │ words that
        │ wrap in their
        │ cell
    two │ x
    ");
    insta::assert_snapshot!(rendered(&[source], 8, 40, FRAME), @r"
    key: one
    a long
    explanat
    ion:
    words
    that
    wrap in
    their
    cell

    key: two
    a long
    explanat
    ion: x
    ");
}

/// What is above the open block is never touched, and after a resize what was final stays.
#[test]
fn resize_in_mid_stream_loses_nothing() {
    let mut parser = vt100::Parser::new(10, 40, 1_000);
    let mut markdown = Markdown::new(Theme::dark(), Capabilities::terminal(40, 10));
    let mut out = String::from("before\r\n");
    markdown.push("First paragraph, which is final.\n\nThe second one is still open and ", FRAME, &mut out);
    parser.process(out.as_bytes());
    parser.screen_mut().set_size(10, 20);
    markdown.resize(20, 10);
    let mut out = String::new();
    markdown.push("goes on in a narrower terminal.\n", FRAME * 3, &mut out);
    markdown.finish(&mut out);
    parser.process(out.as_bytes());
    let shown = text(&mut parser);
    assert!(shown.contains("before"), "{shown}");
    let words: Vec<&str> = shown.split_whitespace().collect();
    assert!(words.join(" ").ends_with("still open and goes on in a narrower terminal."), "{shown}");
}

#[test]
fn without_a_terminal_text_goes_through_as_it_comes() {
    let mut markdown = Markdown::new(Theme::dark(), Capabilities::plain());
    let mut out = String::new();
    for piece in ["# He", "ad\u{1b}[3", "1m\n\n**b", "old**"] {
        markdown.push(piece, Duration::ZERO, &mut out);
    }
    assert_eq!(out, "# Head\n\n**bold**");
    markdown.finish(&mut out);
    assert_eq!(out, "# Head\n\n**bold**\n");
    assert_eq!(markdown.deadline(), None);
}

#[test]
fn drawing_waits_for_the_frame() {
    let mut markdown = Markdown::new(Theme::dark(), Capabilities::terminal(40, 10));
    let mut out = String::new();
    markdown.push("a", Duration::from_millis(100), &mut out);
    assert_eq!(out, "a");
    markdown.push("b", Duration::from_millis(101), &mut out);
    assert_eq!(out, "a");
    let deadline = markdown.deadline().unwrap();
    assert_eq!(deadline, Duration::from_millis(116));
    markdown.tick(deadline, &mut out);
    assert_eq!(out, "ab");
    assert_eq!(markdown.deadline(), None);
}

#[test]
fn a_sign_below_a_silent_reply_goes_and_leaves_the_reply_as_it_was() {
    for (before, shown) in [
        ("One *two*", "One two"),
        ("One\n\n", "One"),
        ("```\nx\n```\n", "```\nx\n```"),
        ("One\n\n- a\n- b", "One\n\n• a\n• b"),
    ] {
        let mut parser = vt100::Parser::new(10, 40, 0);
        let mut markdown = Markdown::new(Theme::dark(), Capabilities::terminal(40, 10));
        let mut out = String::new();
        markdown.push(before, FRAME, &mut out);
        markdown.sign(Some(Styled::plain("waiting 2s")), &mut out);
        markdown.sign(Some(Styled::plain("waiting 3s")), &mut out);
        parser.process(std::mem::take(&mut out).as_bytes());
        assert_eq!(text(&mut parser), format!("{shown}\nwaiting 3s"));
        markdown.sign(None, &mut out);
        markdown.push(" and more", FRAME * 2, &mut out);
        markdown.sign(Some(Styled::plain("waiting 2s")), &mut out);
        markdown.finish(&mut out);
        parser.process(out.as_bytes());
        assert_eq!(text(&mut parser), rendered(&[before, " and more"], 40, 10, FRAME), "{before:?}");
    }
    let mut out = String::new();
    Markdown::new(Theme::dark(), Capabilities::plain()).sign(Some(Styled::plain("waiting 2s")), &mut out);
    assert_eq!(out, "");
}

#[test]
fn styles_reach_the_screen() {
    let mut parser = vt100::Parser::new(10, 40, 0);
    let mut markdown = Markdown::new(Theme::dark(), Capabilities::terminal(40, 10));
    let mut out = String::new();
    markdown.push("**bold** `code`\n\n```rust\nlet x = 1;\n```\n", FRAME, &mut out);
    markdown.finish(&mut out);
    parser.process(out.as_bytes());
    let screen = parser.screen();
    assert!(screen.cell(0, 0).unwrap().bold());
    assert_eq!(screen.cell(0, 5).unwrap().fgcolor(), vt100::Color::Idx(3));
    assert_eq!(screen.cell(3, 0).unwrap().fgcolor(), vt100::Color::Idx(5), "{}", screen.contents());
    assert_eq!(screen.cell(3, 4).unwrap().fgcolor(), vt100::Color::Default);
}

#[test]
fn links_are_marked_where_terminals_know_them() {
    let capabilities = Capabilities { links: true, ..Capabilities::terminal(60, 10) };
    let mut markdown = Markdown::new(Theme::dark(), capabilities);
    let mut out = String::new();
    markdown.push("[docs](https://example.org)\n", FRAME, &mut out);
    markdown.finish(&mut out);
    assert!(out.contains("\u{1b}]8;;https://example.org\u{1b}\\"), "{out:?}");
    assert!(out.contains("(https://example.org)"), "{out:?}");
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("\n".to_owned()),
        Just("\n\n".to_owned()),
        Just("```\n".to_owned()),
        Just("~~~ rust\n".to_owned()),
        Just("- ".to_owned()),
        Just("  - ".to_owned()),
        Just("1. ".to_owned()),
        Just("> ".to_owned()),
        Just("# ".to_owned()),
        Just("    ".to_owned()),
        Just("---\n".to_owned()),
        Just("a | b\n".to_owned()),
        Just("-|-\n".to_owned()),
        Just("**".to_owned()),
        Just("CMD: ls *".to_owned()),
        Just("`".to_owned()),
        Just("[x](http://y)".to_owned()),
        Just("日本語".to_owned()),
        Just("👩‍💻 ".to_owned()),
        Just("\u{1b}[31m".to_owned()),
        "[a-z]{1,9} ?",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Any text, in any pieces, at any width: the screen ends the same, and nothing panics.
    #[test]
    fn any_text_in_any_pieces(
        parts in prop::collection::vec(piece(), 0..30),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        width in 1_u16..50,
        height in 2_u16..30,
    ) {
        let source = parts.concat();
        let mut places: Vec<usize> = cuts.iter().map(|cut| {
            let count = source.chars().count();
            if count == 0 { 0 } else { source.char_indices().nth(cut.index(count)).map_or(0, |(at, _)| at) }
        }).collect();
        places.extend([0, source.len()]);
        places.sort_unstable();
        let pieces: Vec<&str> = places.windows(2).map(|pair| &source[pair[0]..pair[1]]).collect();
        let whole = rendered(&[&source], width, height, FRAME);
        prop_assert_eq!(rendered(&pieces, width, height, FRAME), whole, "{:?}", source);
    }
}
