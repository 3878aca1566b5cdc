//! Documents of one session that tries to be more than text.

use std::process::{Command, Stdio};

use aish_journal::{SessionHead, SessionLog, WallClock};
use aish_types::Block;

use super::*;

fn session() -> Session {
    let folder = tempfile::tempdir().unwrap();
    let head = SessionHead { folder: Some("/home/a/<b>".into()), ..SessionHead::default() };
    let log = SessionLog::create(folder.path(), "s-1".into(), head, WallClock::default()).unwrap();
    let image = Block::Image { media_type: "image/png".into(), data: "iVBORw0KGgo=".into() };
    let bad = Block::Image { media_type: "image/svg+xml".into(), data: "\" onload=\"alert(1)".into() };
    let call = ToolCall { id: "c1".into(), name: "files.read".into(), arguments: r#"{"path":"</script>"}"#.into() };
    let messages = [
        Message::User {
            content: "<memory>\n- tea <b>\n</memory>\n\n[exec: ls]\n<script>alert(1)</script>\n[exit code: 0]\n\n\
                      What is <script>alert(2)</script>?\u{1b}[31m"
                .into(),
            blocks: vec![image, bad],
        },
        Message::Assistant {
            content: "I look.\nCMD: for f in '<x>'; do\n  ls $f\ndone".into(),
            tool_calls: vec![call],
            state: None,
        },
        Message::Tool {
            tool_call_id: "c1".into(),
            name: "files.read".into(),
            content: "<img src=x onerror=alert(3)>\n```\n# not a heading".into(),
            blocks: vec![],
        },
        Message::assistant(
            "# Done\n\n<script>alert(4)</script>\n\nA [link](javascript:alert(5)) and <b onclick=\"x\">bold</b>, \
             [good](https://example.com/?a=1&b=\"2) ![pic](https://evil.example/p.png)\n\n\
             | a | b |\n|---|--:|\n| `<i>` | 2 |\n\n```rust\nfn main() { let s = \"</pre>\"; }\n```\n1. one\n2. two\n",
        ),
    ];
    for message in &messages {
        log.append(message, None, Some("m")).unwrap();
    }
    log.rename("</title><script>alert(6)</script>").unwrap();
    SessionLog::read(folder.path(), &"s-1".into()).unwrap()
}

fn write(format: Format) -> String {
    Exported { id: &"s-1".into(), session: &session() }.write(format)
}

/// Every tag of a page, by a scan of its own.
fn tags(page: &str) -> Vec<String> {
    page.split('<').skip(1).map(|rest| rest.split('>').next().unwrap().to_owned()).collect()
}

#[test]
fn nothing_in_a_page_is_markup_that_is_not_ours() {
    let page = write(Format::Html);
    let known = [
        "!doctype", "html", "head", "meta", "title", "style", "body", "main", "header", "h1", "h2", "h3", "dl", "dt",
        "dd", "section", "time", "details", "summary", "b", "code", "pre", "p", "img", "a", "span", "div", "table",
        "tr", "th", "td", "ol", "ul", "li", "em", "strong",
    ];
    for tag in tags(&page) {
        let name = tag.trim_start_matches('/').split_whitespace().next().unwrap().to_lowercase();
        assert!(known.contains(&name.as_str()), "<{tag}>");
        let attributes = tag.replace("http-equiv", "");
        assert!(!attributes.to_lowercase().contains(" on"), "<{tag}>");
    }
    assert!(!page.contains("<script") && !page.contains("javascript:") && !page.contains("src=\"http"));
    assert!(!page.contains('\u{1b}') && !page.contains("svg+xml;base64"));
    assert!(page.contains("What is &lt;script&gt;alert(2)&lt;/script&gt;?"));
    assert!(page.contains("&lt;img src=x onerror=alert(3)&gt;"));
    assert!(page.contains("src=\"data:image/png;base64,iVBORw0KGgo=\""));
    assert!(page.contains("<a href=\"https://example.com/?a=1&amp;b=&quot;2\" rel=\"noopener noreferrer\">good</a>"));
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn calls_are_folded_and_code_is_coloured() {
    let page = write(Format::Html);
    let tool = page.split("<details class=\"tool\">").nth(1).unwrap();
    let tool = tool.split("</details>").next().unwrap();
    assert!(tool.starts_with("<summary><b>files.read</b>") && tool.contains("# not a heading"), "{tool}");
    assert!(page.contains("<span class=\"c5\">fn</span>"), "{page}");
    let bare = |block: &str| -> String {
        block.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect()
    };
    let code = page.split("<pre").map(|block| bare(block.split("</pre>").next().unwrap_or_default()));
    let whole = |block: String| block.contains("ls $f") && block.contains("done");
    assert!(code.into_iter().any(whole), "the proposed command is code, all of it: {page}");
    assert!(!page.contains("CMD:"));
}

#[test]
fn a_page_is_well_formed() {
    // Python's parser is a stranger to ours: it finds every tag closed, and no script.
    let script = "import sys, html.parser\n\
        void = {'meta', 'img', 'br', 'hr'}\n\
        class P(html.parser.HTMLParser):\n\
        \x20   stack = []\n\
        \x20   def handle_starttag(self, tag, attrs):\n\
        \x20       assert tag != 'script' and not any(k.startswith('on') for k, _ in attrs), tag\n\
        \x20       if tag not in void: self.stack.append(tag)\n\
        \x20   def handle_endtag(self, tag):\n\
        \x20       assert self.stack.pop() == tag, tag\n\
        p = P(); p.feed(sys.stdin.read()); assert not p.stack, p.stack\n";
    let mut child = Command::new("python3").args(["-c", script]).stdin(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), write(Format::Html).as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
}

#[test]
fn markdown_keeps_code_and_makes_html_inert() {
    let text = write(Format::Md);
    assert!(text.contains("\n\\<script>alert(4)\\</script>\n"), "{text}");
    assert!(text.contains("What is \\<script>alert(2)\\</script>?"), "{text}");
    assert!(text.contains("````text\n<img src=x onerror=alert(3)>\n```\n# not a heading\n````"), "{text}");
    assert!(text.contains("let s = \"</pre>\""), "code stays as it is: {text}");
}

#[test]
fn json_has_every_text_to_the_letter() {
    let document: serde_json::Value = serde_json::from_str(&write(Format::Json)).unwrap();
    let turns = document["turns"].as_array().unwrap();
    let roles: Vec<&str> = turns.iter().map(|turn| turn["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "assistant"]);
    for (turn, stored) in turns.iter().zip(session().turns) {
        assert_eq!(turn["content"], stored.message.content());
    }
    assert_eq!(turns[1]["tool_calls"][0]["arguments"], r#"{"path":"</script>"}"#);
    assert_eq!((turns[2]["tool_call_id"].as_str(), document["v"].as_u64()), (Some("c1"), Some(1)));
}
