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
