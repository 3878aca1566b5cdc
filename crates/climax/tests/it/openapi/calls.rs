//! What is sent, and what comes back.

use serde_json::json;

use super::server::Server;
use super::{TOKEN, VARIABLE, call, climax, document, import};
use crate::client::{Client, Way};

#[test]
fn arguments_go_where_the_document_says() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Server::friendly());
    let folder = folder.path();
    let url = format!("{}/v2", server.url());
    let ran = import(folder, &document(&server.url()), &["--auth-env", VARIABLE, "--server", &url]);
    assert_eq!((ran.code, ran.told.contains("5 tools")), (Some(0), true), "{ran:?}");
    let ran = climax(folder, &["validate", "./api.yaml"]);
    assert_eq!((ran.code, ran.out.trim()), (Some(0), "./api.yaml: ok, 5 tools"), "{ran:?}");
    for (tool, arguments, line, body) in [
        (
            "shelf_list_books",
            json!({"page_size": 5, "tag": ["a b", "c&d"], "sort": ["x", "y"]}),
            "GET /v2/books?page%5Bsize%5D=5&tag=a+b&tag=c%26d&sort=x%2Cy",
            "",
        ),
        ("shelf_list_books", json!({}), "GET /v2/books", ""),
        ("shelf_get_book", json!({"id": "a/b?c#d%2e.."}), "GET /v2/books/a%2Fb%3Fc%23d%252e..", ""),
        ("shelf_get_book", json!({"id": ".\t."}), "GET /v2/books/.%09.", ""),
        ("shelf_get_book", json!({"id": "..\r\n"}), "GET /v2/books/..%0D%0A", ""),
        ("shelf_remove_book", json!({"id": "7"}), "DELETE /v2/books/7", ""),
        (
            "shelf_add_book",
            json!({"title": "T", "author": {"name": "A", "friends": [{"name": "B"}]}}),
            "POST /v2/books",
            r#"{"title":"T","author":{"name":"A","friends":[{"name":"B"}]}}"#,
        ),
        ("shelf_log_in", json!({"user": "a&b", "roles": ["x", "y"]}), "POST /v2/login", "user=a%26b&roles=x&roles=y"),
    ] {
        let ran = call(folder, tool, &arguments);
        assert_eq!((ran.code, ran.out.trim()), (Some(0), r#"{"ok":true}"#), "{tool}: {ran:?}");
        let seen = server.last();
        assert_eq!((seen.line.as_str(), seen.body.as_str()), (line, body), "{tool}");
        assert_eq!(seen.header("authorization"), Some(format!("Bearer {TOKEN}").as_str()));
        assert_eq!(seen.header("content-type").is_some(), !body.is_empty());
    }
    assert!(server.seen().iter().all(|seen| seen.header("x-trace").is_none()));
    assert_eq!(call(folder, "shelf_list_books", &json!({"X-Trace": "abc"})).code, Some(0));
    assert_eq!(server.last().header("x-trace"), Some("abc"));
}

#[test]
fn what_cannot_be_sent_is_refused_before_anything_is() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Server::friendly());
    let folder = folder.path();
    import(folder, &document(&server.url()), &[]);
    for (tool, arguments, said) in [
        ("shelf_get_book", json!({"id": ".."}), "cannot stand for {id}"),
        ("shelf_get_book", json!({"id": ""}), "cannot stand for {id}"),
        ("shelf_get_book", json!({}), "Missing required argument 'id'"),
        ("shelf_list_books", json!({"X-Trace": "a\r\nHost: b"}), "no header can hold"),
        ("shelf_add_book", json!({"title": "T", "shelf": "lost"}), "must be one of: new, old"),
        ("shelf_add_book", json!({"title": "T", "author": "me"}), "author"),
    ] {
        let ran = call(folder, tool, &arguments);
        assert!(
            ran.code == Some(1) && format!("{}{}", ran.out, ran.told).contains(said),
            "{tool} {arguments}: {ran:?}"
        );
    }
    assert!(server.seen().is_empty(), "{:?}", server.seen());
}

#[test]
fn who_writes_is_asked_with_the_request() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Server::friendly());
    import(folder.path(), &document(&server.url()), &[]);
    let config = folder.path().join("api.yaml");
    let mut client = Client::start_asking(Way::Stdio, &[config.to_str().unwrap()], "decline");
    assert!(!client.run("shelf_list_books", json!({})).is_error);
    assert_eq!(client.asked, Vec::<String>::new(), "GET only reads");
    assert!(client.run("shelf_add_book", json!({"title": "T"})).is_error);
    assert!(client.run("shelf_remove_book", json!({"id": "7"})).is_error);
    let asked = [format!("Send POST {}/v2/books?", server.url()), format!("Send DELETE {}/v2/books/7?", server.url())];
    assert!(
        client.asked.len() == 2 && client.asked.iter().zip(&asked).all(|(said, asked)| said.starts_with(asked)),
        "{:?}",
        client.asked
    );
    assert!(client.asked[0].contains('T'), "what is sent is shown: {:?}", client.asked);
    assert_eq!(server.seen().len(), 1);
}

#[test]
fn answers_are_bounded_and_failures_told() {
    let server = Server::start(|seen| match seen.line.rsplit('/').next().unwrap() {
        "missing" => (404, vec!["Content-Type: application/json".into()], r#"{"error":"no such book"}"#.into()),
        "empty" => (204, Vec::new(), String::new()),
        "picture" => (200, vec!["Content-Type: image/png".into()], "\u{1}\u{2}\u{3}".into()),
        "echo" => (200, vec!["Content-Type: text/plain".into()], format!("you said {TOKEN}\u{1b}[31m")),
        "long" => (200, vec!["Content-Type: text/plain".into()], "x".repeat(2_000_000)),
        _ => (500, Vec::new(), "broken".into()),
    });
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    import(folder, &document(&server.url()), &["--auth-env", VARIABLE, "--server", &format!("{}/v2", server.url())]);
    for (id, code, said) in [
        ("missing", 1, "no such book\"}\n[HTTP 404 Not Found]"),
        ("empty", 0, "(no output)"),
        ("picture", 0, "[3 bytes of image/png, not shown]"),
        ("echo", 0, "you said $SHELF_TOKEN"),
        ("long", 0, "[cut after 262144 bytes]"),
        ("other", 1, "[HTTP 500 Internal Server Error]"),
    ] {
        let ran = call(folder, "shelf_get_book", &json!({"id": id}));
        assert!(ran.out.contains(said) && !ran.out.contains(TOKEN) && !ran.out.contains('\u{1b}'), "{id}: {ran:?}");
        assert_eq!(ran.code, Some(code), "{id}");
        assert!(ran.out.len() < 300_000);
    }
    // Nobody is there.
    let text = std::fs::read_to_string(folder.join("api.yaml")).unwrap();
    std::fs::write(folder.join("api.yaml"), text.replace(&server.url(), "http://127.0.0.1:1").replace("auth_env", "#"))
        .unwrap();
    let ran = call(folder, "shelf_get_book", &json!({"id": "1"}));
    assert!(ran.code == Some(1) && format!("{ran:?}").contains("http://127.0.0.1:1 could not be asked"), "{ran:?}");
}

/// A config by hand of an API that answers with what it was asked.
const BY_HAND: &str = "
  - name: find
    description: Finds
    request: GET /find/{where}
    risk: read
    args:
      - {name: where, in: path, type: object}
      - {name: limit, in: query, type: integer}
      - {name: filter, in: query, type: object}
      - {name: span, in: query, type: object, style: comma}
      - {name: key, in: header, as: x-key}
";

fn by_hand(server: &Server, folder: &std::path::Path, auth: &str) {
    let url = server.url();
    import(folder, &document(&url), &["--auth-env", VARIABLE, "--server", &url]);
    let head = format!("name: hand\nhttp: {{url: '{url}', auth_env: {VARIABLE}, auth: {auth}}}\ntools:{BY_HAND}");
    std::fs::write(folder.join("api.yaml"), head).unwrap();
}

#[test]
fn an_object_is_written_as_its_style_says_and_stands_for_no_other_argument() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Server::friendly());
    by_hand(&server, folder.path(), "header X-Key");
    let arguments = json!({"where": {"a": 1}, "limit": 5, "filter": {"by": "x", "no": null}, "span": {"from": 1, "to": 2}, "key": "mine"});
    assert_eq!(call(folder.path(), "find", &arguments).code, Some(0));
    let seen = server.last();
    assert_eq!(seen.line, "GET /find/a,1?limit=5&by=x&span=from%2C1%2Cto%2C2");
    let keys: Vec<_> =
        seen.headers.iter().filter(|(name, _)| name == "x-key").map(|(_, value)| value.as_str()).collect();
    assert_eq!(keys, [TOKEN], "the token alone stands there");
    let ran = call(folder.path(), "find", &json!({"where": {"a": 1}, "limit": 5, "filter": {"limit": 1000}}));
    assert!(ran.code == Some(1) && format!("{ran:?}").contains("'limit', which is an argument of its own"), "{ran:?}");
    assert_eq!(server.seen().len(), 1);
}

#[test]
fn a_token_that_comes_back_as_it_was_sent_is_not_shown() {
    let server = Server::start(|seen| {
        let said = format!("{} {}", seen.line, seen.header("authorization").unwrap_or_default());
        (200, vec!["Content-Type: text/plain".into()], said)
    });
    let folder = tempfile::tempdir().unwrap();
    let token = "ada:p/w+ 01";
    for (auth, said) in [("query key", "GET /find/a,1?key=$SHELF_TOKEN"), ("basic", "Basic $SHELF_TOKEN")] {
        by_hand(&server, folder.path(), auth);
        let mut command =
            super::command(folder.path(), &["call", "find", "--in", "./api.yaml", "--json", r#"{"where":{"a":1}}"#]);
        let output = command.env(VARIABLE, token).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains(said), "{text}");
    }
}

#[test]
fn answers_are_read_as_they_say_they_are_written() {
    let server = Server::start_bytes(|seen| match seen.line.rsplit('/').next().unwrap() {
        "packed" => {
            (vec!["Content-Type: application/json".into(), "Content-Encoding: gzip".into()], vec![0x1f, 0x8b, 8])
        }
        "old" => (vec!["Content-Type: text/plain; charset=ISO-8859-1".into()], b"Gr\xfc\xdfe".to_vec()),
        _ => {
            let bytes = "Grüße".encode_utf16().flat_map(u16::to_le_bytes);
            (vec!["Content-Type: text/plain; charset=utf-16le".into()], bytes.collect())
        }
    });
    let folder = tempfile::tempdir().unwrap();
    import(folder.path(), &document(&server.url()), &[]);
    for (id, said) in
        [("packed", "[3 bytes of gzip of application/json, not shown]"), ("old", "Grüße"), ("wide", "Grüße")]
    {
        assert_eq!(call(folder.path(), "shelf_get_book", &json!({"id": id})).out.trim(), said);
    }
}
