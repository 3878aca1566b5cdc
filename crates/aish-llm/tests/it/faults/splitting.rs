//! F3: bytes split inside UTF-8, CRLF and events; data of several lines; a BOM.

use aish_testkit::model_server::{Framing, Piece, Reply, Split};
use serde_json::Value;

use super::matrix;
use super::shape::Shape;
use crate::harness::{ask_with_tools, options, run, start};

/// Writes every event's JSON over several lines, each with its own `data:`.
fn over_lines(body: &str) -> String {
    body.split_inclusive('\n')
        .map(|line| match line.strip_prefix("data: ").map(serde_json::from_str::<Value>) {
            Some(Ok(json)) => {
                let pretty = serde_json::to_string_pretty(&json).unwrap();
                pretty.lines().map(|line| format!("data: {line}\n")).collect()
            }
            _ => line.to_owned(),
        })
        .collect()
}

#[tokio::test]
async fn f3_however_the_bytes_come_the_events_are_the_same() {
    let text = "Grüße – 時計 👩‍💻 and\r\n\"quotes\" \u{e9}\u{301}";
    let reply = |shape: Shape| shape.with_calls(text, &[("c1", "tool", "{\"é\": \"👩‍💻\"}")], "tool_calls");
    matrix(|shape, mut random| async move {
        let server = start(shape.always(reply(shape)));
        let whole = run(&*shape.provider(&server.url(), options()), ask_with_tools("go", &["tool"])).await;
        assert_eq!((whole.text().as_str(), whole.calls().len()), (text, 1), "{shape:?}");

        let mut body = String::from_utf8(reply(shape).body()).unwrap();
        if random.below(2) == 0 {
            body = over_lines(&body);
        }
        body = match random.below(3) {
            0 => body.replace('\n', "\r\n"),
            1 => body.replace('\n', "\r"),
            _ => body,
        };
        if random.below(2) == 0 {
            body.insert(0, '\u{feff}');
        }
        let split = if random.below(3) == 0 { Split::Every(1) } else { Split::Seeded(random.next()) };
        let pieces = vec![Piece::Bytes(body.into_bytes())];
        let framing = random.pick(&[Framing::Chunked, Framing::Close, Framing::Length]);
        let server = start(shape.always(Reply { pieces, ..reply(shape) }.split(split).framing(framing)));
        let split = run(&*shape.provider(&server.url(), options()), ask_with_tools("go", &["tool"])).await;
        assert_eq!(split.joined(), whole.joined(), "{shape:?}");
        assert_eq!(split.error, None);
    })
    .await;
}
