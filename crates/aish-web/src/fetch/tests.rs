//! A server on this machine that stands for one of the public internet, and a resolver that answers as it is told.

use std::collections::VecDeque;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Mutex;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::*;

/// An address that is public and belongs to nobody here.
const PUBLIC: &str = "93.184.216.34";

/// Answers one list after the other, and notes who was asked for.
#[derive(Default)]
struct Scripted {
    answers: Mutex<VecDeque<Vec<&'static str>>>,
    asked: Mutex<Vec<String>>,
}

impl Resolve for Scripted {
    fn addresses<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        self.asked.lock().unwrap().push(host.to_owned());
        let answer = self.answers.lock().unwrap().pop_front().ok_or_else(|| io::Error::other("nobody knows"));
        Box::pin(async move { Ok(answer?.iter().map(|text| text.parse().unwrap()).collect()) })
    }
}

/// A server that answers each request with the next of these replies, as they stand, and keeps the requests.
struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    async fn start(replies: Vec<Vec<u8>>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        tokio::spawn(async move {
            for reply in replies {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut request = vec![0; 4096];
                let read = stream.read(&mut request).await.unwrap();
                request.truncate(read);
                kept.lock().unwrap().push(String::from_utf8(request).unwrap());
                // A client that has seen enough hangs up.
                let _ = stream.write_all(&reply).await;
            }
        });
        Self { port, requests }
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

fn reply(kind: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fn sent_on(to: &str) -> Vec<u8> {
    format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n").into_bytes()
}

/// Makes a web whose names have these addresses, and whose public internet is this machine.
fn web(answers: &[&[&'static str]]) -> (Web, Arc<Scripted>) {
    let resolver = Arc::new(Scripted::default());
    resolver.answers.lock().unwrap().extend(answers.iter().map(|answer| answer.to_vec()));
    let reach = |_| IpAddr::V4(Ipv4Addr::LOCALHOST);
    let web = Web { resolver: Arc::clone(&resolver) as Arc<_>, converter: vec!["cat".into()], reach };
    (web, resolver)
}

async fn open(web: &Web, address: &str) -> Result<Page, String> {
    web.page(address, &CancellationToken::new()).await.map_err(|error| error.to_string())
}

#[tokio::test]
async fn a_page_is_fetched_plainly_and_its_final_address_is_told() {
    let server = Server::start(vec![sent_on("/b?c"), reply("text/plain; charset=utf-8", "grüße\u{1b}[31m")]).await;
    let (web, resolver) = web(&[&[PUBLIC], &[PUBLIC]]);
    let page = open(&web, &format!("http://page.example:{}/a#part", server.port)).await.unwrap();
    assert_eq!(page.address, format!("http://page.example:{}/b?c", server.port));
    assert_eq!((page.text.as_str(), page.is_cut), ("grüße", false));
    assert_eq!(*resolver.asked.lock().unwrap(), ["page.example", "page.example"]);
    for request in server.requests() {
        let request = request.to_lowercase();
        assert!(request.starts_with("get /") && request.contains("host: page.example:"), "{request}");
        for word in ["cookie", "authorization", "referer", "accept-encoding"] {
            assert!(!request.contains(word), "{request}");
        }
    }
}

#[test]
fn an_address_is_written_as_it_is_opened() {
    let (web, _) = web(&[]);
    for (text, expected) in [
        ("HTTP://Ex\u{430}mple.org/k\u{e4}se?a=b", "http://xn--exmple-4nf.org/k%C3%A4se?a=b"),
        ("http://16843009", "http://1.1.1.1/"),
        ("https://example.org/\u{202e}x", "https://example.org/%E2%80%AEx"),
    ] {
        assert_eq!(web.address(text).unwrap(), expected);
        assert_eq!(web.address(expected).unwrap(), expected, "it stays as it is");
    }
    assert!(web.address("file:///etc/passwd").is_err());
    for local in ["http://127.0.0.1:8080/", "http://0x7f.1/", "http://2130706433", "http://[::1]/", "http://10.0.0.1/"]
    {
        assert!(web.address(local).unwrap_err().to_string().ends_with("it is not opened"), "{local}: nobody is asked");
    }
}

#[tokio::test]
async fn what_is_not_public_is_not_opened_whoever_names_it() {
    let (own, _) = web(&[]);
    for address in [
        "http://127.0.0.1/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://0177.0.0.1/",
        "http://127.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:7f00:1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[2002:7f00:1::]/",
        "http://[fd00:ec2::254]/",
        "http://0/",
        "http://[::]/",
        "http://100.100.100.200/",
        "http://10.1.2.3/",
        "http://192.168.0.1:8080/",
    ] {
        let why = open(&own, address).await.unwrap_err();
        assert!(why.contains("not on the public internet"), "{address}: {why}");
    }
    for answer in [
        &["127.0.0.1"] as &[&str],
        &[PUBLIC, "10.0.0.1"],
        &["fe80::1"],
        &["::ffff:10.0.0.1"],
        &["0.0.0.0"],
        &["169.254.169.254"],
    ] {
        let (web, _) = web(&[answer]);
        let why = open(&web, "http://localtest.example/").await.unwrap_err();
        assert!(why.contains("not on the public internet"), "{answer:?}: {why}");
    }
}

#[tokio::test]
async fn each_hop_is_looked_up_and_checked_anew() {
    for (to, why) in [
        ("http://127.0.0.1:22/", "port 22"),
        ("http://127.0.0.1:8080/", "not on the public internet"),
        ("http://[::ffff:169.254.169.254]/", "not on the public internet"),
        ("//other.example/", "not on the public internet"),
        ("file:///etc/passwd", "only http and https"),
        ("http://me:pw@page.example/", "a user's name"),
        ("gopher://page.example:70/", "only http and https"),
    ] {
        let server = Server::start(vec![sent_on(to)]).await;
        let (web, _) = web(&[&[PUBLIC], &["192.168.1.1"]]);
        let said = open(&web, &format!("http://page.example:{}/", server.port)).await.unwrap_err();
        assert!(said.contains(why), "{to}: {said}");
        assert_eq!(server.requests().len(), 1, "{to}");
    }
    // The same name, which is elsewhere by now.
    let server = Server::start(vec![sent_on("/again")]).await;
    let (web, _) = web(&[&[PUBLIC], &["127.0.0.1"]]);
    let said = open(&web, &format!("http://page.example:{}/", server.port)).await.unwrap_err();
    assert!(said.contains("127.0.0.1, which is not on the public internet"), "{said}");
}

#[tokio::test]
async fn a_connection_goes_to_the_addresses_that_were_checked() {
    let server = Server::start(vec![reply("text/plain", "here")]).await;
    // A second look-up, by whoever connects, would have no answer.
    let (web, resolver) = web(&[&[PUBLIC]]);
    let page = open(&web, &format!("http://no-such-name.invalid:{}/", server.port)).await.unwrap();
    assert_eq!(page.text, "here");
    assert_eq!(resolver.asked.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn an_endless_chain_ends() {
    let server = Server::start(vec![sent_on("/x"); 20]).await;
    let (web, _) = web(&[&[PUBLIC] as &[&str]; 20]);
    let why = open(&web, &format!("http://page.example:{}/", server.port)).await.unwrap_err();
    assert!(why.contains("more than 5 times"), "{why}");
    assert_eq!(server.requests().len(), HOPS + 1);
}

#[tokio::test]
async fn bodies_are_bounded_and_what_is_no_text_is_refused() {
    let long =
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{}", "a".repeat(MOST + 100_000)).into_bytes();
    let server = Server::start(vec![long]).await;
    let (reading, _) = web(&[&[PUBLIC]]);
    let page = open(&reading, &format!("http://page.example:{}/", server.port)).await.unwrap();
    assert_eq!((page.text.len(), page.is_cut), (MOST, true));
    for (reply, why) in [
        (reply("image/png", "x"), "is no text (image/png)"),
        (reply("application/octet-stream", "x"), "is no text"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx"
                .to_vec(),
            "is compressed (gzip)",
        ),
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec(), "answered 404 Not Found"),
        (b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n".to_vec(), "without a place"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\nhalf".to_vec(), "broke off"),
        (b"nonsense\r\n\r\n".to_vec(), "cannot be reached"),
    ] {
        let server = Server::start(vec![reply]).await;
        let (web, _) = web(&[&[PUBLIC]]);
        let said = open(&web, &format!("http://page.example:{}/", server.port)).await.unwrap_err();
        assert!(said.contains(why), "{why}: {said}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_page_and_an_interrupt_end() {
    // The server takes the request and says no more.
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = format!("http://page.example:{}/", listener.local_addr().unwrap().port());
    let (slow, _) = web(&[&[PUBLIC]]);
    let why = open(&slow, &address).await.unwrap_err();
    assert!(why.contains("took longer than 20 s") || why.contains("cannot be reached"), "{why}");
    let (slow, _) = web(&[&[PUBLIC]]);
    let cancel = CancellationToken::new();
    cancel.cancel();
    assert_eq!(slow.page(&address, &cancel).await, Err(PageError::Cancelled));
}

#[tokio::test]
async fn a_converter_that_fails_is_said() {
    let html = reply("text/html", "<p>x");
    for (converter, expected) in [
        (vec![OsString::from("cat")], Ok("<p>x")),
        (vec![OsString::from("false")], Err("nested too deep")),
        (vec![OsString::from("/nonexistent/aish")], Err("cannot be read")),
        (Vec::new(), Err("nothing that reads pages")),
    ] {
        let server = Server::start(vec![html.clone()]).await;
        let (mut web, _) = web(&[&[PUBLIC]]);
        web.converter = converter;
        let got = open(&web, &format!("http://page.example:{}/", server.port)).await;
        match (&got, expected) {
            (Ok(page), Ok(text)) => assert_eq!(page.text, text),
            (Err(why), Err(word)) => assert!(why.contains(word), "{why}"),
            _ => panic!("{got:?} {expected:?}"),
        }
    }
}
