//! A token goes to the host that was confirmed when the document was imported, and to no other.

use std::path::Path;
use std::time::Duration;

use aish_testkit::terminal::TerminalSession;
use serde_json::{Value, json};

use super::server::{Seen, Server};
use super::{TOKEN, VARIABLE, call, climax, document, import};

/// Longer than anything here takes that is not hung.
const HUNG: Duration = Duration::from_secs(60);

/// Says whether a server got the token in any way.
fn got_token(server: &Server) -> bool {
    let holds = |seen: &Seen| format!("{seen:?}").contains(TOKEN);
    server.seen().iter().any(holds)
}

/// A server that sends everything on to another one.
fn sending_on(status: u16, to: &Server) -> Server {
    let place = format!("Location: {}/v2/books/1", to.url());
    Server::start(move |_| (status, vec![place.clone()], String::new()))
}

#[test]
fn without_a_yes_nothing_is_written() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Server::friendly());
    let ran = import(folder.path(), &document(&server.url()), &["--auth-env", VARIABLE]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.told.contains("nobody can be asked") && ran.told.contains("--server"), "{ran:?}");
    assert!(!folder.path().join("api.yaml").exists());
    let ran =
        import(folder.path(), &document(&server.url()), &["--auth-env", "sk-not a name", "--server", &server.url()]);
    assert!(ran.code == Some(1) && ran.told.contains("never the token"), "{ran:?}");
}

#[test]
fn a_yes_at_the_terminal_confirms_the_host_once() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Server::friendly());
    let folder = folder.path();
    std::fs::write(folder.join("api.json"), document(&server.url()).to_string()).unwrap();
    let arguments = ["import", "--openapi", "api.json", "--auth-env", VARIABLE, "-o", "api.yaml"].map(str::to_owned);
    let state = folder.join("state").display().to_string();
    let environment = [("HOME", folder.display().to_string()), ("XDG_STATE_HOME", state), ("TERM", "xterm".into())];
    let environment: Vec<(String, String)> = environment.map(|(name, value)| (name.to_owned(), value)).into();
    let program = Path::new(env!("CARGO_BIN_EXE_climax"));
    let question = format!("Send the token in {VARIABLE} to {}, and to no other host?", server.url());
    for (key, code) in [(&b"n\r"[..], 1), (b"y\r", 0)] {
        let mut session = TerminalSession::start(program, &arguments, &environment, folder, (160, 24)).unwrap();
        assert!(session.wait_until(HUNG, |screen| screen.contains("[y/N]")), "{}", session.contents());
        assert!(session.contents().contains(&question), "{}", session.contents());
        session.type_bytes(key).unwrap();
        assert_eq!(session.exit_code(HUNG), Some(code), "{}", session.contents());
        assert_eq!(folder.join("api.yaml").exists(), code == 0);
    }
    // From now on nobody is asked again.
    assert_eq!(import(folder, &document(&server.url()), &["--auth-env", VARIABLE]).code, Some(0));
    assert_eq!(call(folder, "shelf_get_book", &json!({"id": "1"})).code, Some(0));
    assert!(got_token(&server));
}

#[test]
fn a_redirect_leads_nowhere_else() {
    for status in [301, 302, 303, 307, 308] {
        let folder = tempfile::tempdir().unwrap();
        let other = Server::friendly();
        let server = sending_on(status, &other);
        import(
            folder.path(),
            &document(&server.url()),
            &["--auth-env", VARIABLE, "--server", &format!("{}/v2", server.url())],
        );
        for (tool, arguments) in [
            ("shelf_get_book", json!({"id": "1"})),
            ("shelf_add_book", json!({"title": "T"})),
            ("shelf_remove_book", json!({"id": "1"})),
        ] {
            let ran = call(folder.path(), tool, &arguments);
            assert!(ran.code == Some(1) && ran.out.contains("was not followed"), "{status} {tool}: {ran:?}");
        }
        assert!(other.seen().is_empty() && got_token(&server), "{status}: {:?}", other.seen());
    }
}

#[test]
fn a_redirect_within_the_host_is_followed() {
    let server = Server::start(|seen| match seen.line.as_str() {
        "GET /v2/books/1" | "DELETE /v2/books/1" => (307, vec!["Location: /v2/books/2".into()], String::new()),
        "POST /v2/books" => (303, vec!["Location: /v2/books/2".into()], String::new()),
        "GET /v2/books/9" => (302, vec!["Location: /v2/books/9".into()], String::new()),
        _ => (200, vec!["Content-Type: text/plain".into()], seen.line.clone()),
    });
    let folder = tempfile::tempdir().unwrap();
    import(
        folder.path(),
        &document(&server.url()),
        &["--auth-env", VARIABLE, "--server", &format!("{}/v2", server.url())],
    );
    for (tool, arguments, said) in [
        ("shelf_get_book", json!({"id": "1"}), "GET /v2/books/2"),
        ("shelf_remove_book", json!({"id": "1"}), "DELETE /v2/books/2"),
        ("shelf_add_book", json!({"title": "T"}), "GET /v2/books/2"),
    ] {
        let ran = call(folder.path(), tool, &arguments);
        assert_eq!((ran.code, ran.out.trim()), (Some(0), said), "{ran:?}");
    }
    assert!(server.seen().iter().all(|seen| seen.header("authorization").is_some()));
    let ran = call(folder.path(), "shelf_get_book", &json!({"id": "9"}));
    assert!(ran.code == Some(1) && format!("{ran:?}").contains("redirects more than 4 times"), "{ran:?}");
}

#[test]
fn an_edited_config_sends_it_nowhere() {
    let (folder, server, other) = (tempfile::tempdir().unwrap(), Server::friendly(), Server::friendly());
    let folder = folder.path();
    import(folder, &document(&server.url()), &["--auth-env", VARIABLE, "--server", &format!("{}/v2", server.url())]);
    let config = folder.join("api.yaml");
    let text = std::fs::read_to_string(&config).unwrap();
    let port = server.url().rsplit(':').next().unwrap().to_owned();
    for url in [other.url(), server.url().replace("127.0.0.1", "localhost"), format!("http://127.0.0.1.example:{port}")]
    {
        std::fs::write(&config, text.replace(&server.url(), &url)).unwrap();
        let ran = call(folder, "shelf_get_book", &json!({"id": "1"}));
        let told = format!("{}{}", ran.out, ran.told);
        assert!(ran.code == Some(1) && told.contains("nobody confirmed") && !told.contains(TOKEN), "{url}: {ran:?}");
    }
    // Another variable of the same config is as unknown.
    std::fs::write(&config, text.replace(VARIABLE, "HOME")).unwrap();
    assert!(format!("{:?}", call(folder, "shelf_get_book", &json!({"id": "1"}))).contains("the token in HOME may go"));
    assert!(server.seen().is_empty() && other.seen().is_empty());
    assert!(climax(folder, &["validate", "./api.yaml"]).told.contains("the token in HOME is sent nowhere yet"));
    std::fs::write(&config, text).unwrap();
    assert_eq!(climax(folder, &["validate", "./api.yaml"]).told, "");
    assert_eq!(call(folder, "shelf_get_book", &json!({"id": "1"})).code, Some(0));
    assert!(got_token(&server));
    let kept = std::fs::read_to_string(folder.join("state/climax/hosts.json")).unwrap();
    assert!(kept.contains(VARIABLE) && kept.contains(&server.url()) && !kept.contains(TOKEN), "{kept}");
}

#[test]
fn other_servers_of_the_document_get_nothing() {
    let (folder, server, other) = (tempfile::tempdir().unwrap(), Server::friendly(), Server::friendly());
    let mut document = document(&server.url());
    document["servers"] = json!([{"url": format!("{}/v2", server.url())}, {"url": other.url()}]);
    document["paths"]["/books/{id}"]["servers"] = json!([{"url": other.url()}]);
    document["paths"]["/books"]["post"]["servers"] = json!([{"url": format!("{}/v2/beta", server.url())}]);
    let ran = import(folder.path(), &document, &["--auth-env", VARIABLE, "--server", &format!("{}/v2", server.url())]);
    assert!(ran.code == Some(0) && ran.told.contains("is left out: it is at another server"), "{ran:?}");
    assert!(call(folder.path(), "shelf_get_book", &json!({"id": "1"})).out.contains("Unknown tool"));
    assert_eq!(call(folder.path(), "shelf_add_book", &json!({"title": "T"})).code, Some(0));
    assert_eq!(server.last().line, "POST /v2/beta/books");
    assert!(other.seen().is_empty());
}

#[test]
fn each_way_of_carrying_it_works() {
    let schemes: [(Value, &str); 4] = [
        (json!({"type": "apiKey", "in": "header", "name": "X-Api-Key"}), "(\"x-api-key\", \"t-0123456789\")"),
        (json!({"type": "apiKey", "in": "query", "name": "key"}), "GET /v2/books?tag=a&key=t-0123456789"),
        (json!({"type": "http", "scheme": "basic"}), "(\"authorization\", \"Basic dC0wMTIzNDU2Nzg5\")"),
        (json!({"type": "oauth2", "flows": {}}), "(\"authorization\", \"Bearer t-0123456789\")"),
    ];
    for (scheme, sent) in schemes {
        let (folder, server) = (tempfile::tempdir().unwrap(), Server::friendly());
        let mut document = document(&server.url());
        document["components"]["securitySchemes"]["key"] = scheme.clone();
        import(folder.path(), &document, &["--auth-env", VARIABLE, "--server", &format!("{}/v2", server.url())]);
        let ran = call(folder.path(), "shelf_list_books", &json!({"tag": ["a"]}));
        assert_eq!(ran.code, Some(0), "{scheme}: {ran:?}");
        assert!(format!("{:?}", server.last()).contains(sent), "{scheme}: {:?}", server.last());
    }
}

#[test]
fn a_variable_that_is_not_set_sends_nothing() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Server::friendly());
    import(folder.path(), &document(&server.url()), &["--auth-env", "NOT_SET_HERE", "--server", &server.url()]);
    let ran = climax(folder.path(), &["call", "shelf_get_book", "--in", "./api.yaml", "--arg", "id=1"]);
    assert!(ran.code == Some(1) && format!("{ran:?}").contains("NOT_SET_HERE is not set"), "{ran:?}");
    assert!(server.seen().is_empty());
}
