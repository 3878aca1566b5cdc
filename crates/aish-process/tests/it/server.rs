use std::time::{Duration, Instant};

use aish_process::{Command, Exit, Server, ServerOptions};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use crate::outcome::sh;

async fn start(command: &Command) -> Server {
    Server::start(command, ServerOptions { stderr_cap: 1000 }).await.unwrap()
}

#[tokio::test]
async fn a_server_is_spoken_to_in_lines() {
    let mut server = start(&sh("while read -r line; do echo \"got $line\"; done; exit 7")).await;
    let mut stdin = server.take_stdin().unwrap();
    let mut lines = BufReader::new(server.take_stdout().unwrap()).lines();
    for n in 0..100 {
        stdin.write_all(format!("{n}\n").as_bytes()).await.unwrap();
        assert_eq!(lines.next_line().await.unwrap().unwrap(), format!("got {n}"));
    }
    drop(stdin);
    assert_eq!(server.wait().await, Exit::Code(7));
    assert_eq!(lines.next_line().await.unwrap(), None);
}

#[tokio::test]
async fn a_flood_on_stderr_neither_blocks_nor_grows() {
    let mut server = start(&sh("head -c 1000000 /dev/zero | tr '\\0' x >&2; echo ready; read x")).await;
    let mut lines = BufReader::new(server.take_stdout().unwrap()).lines();
    assert_eq!(lines.next_line().await.unwrap().unwrap(), "ready");
    let since = Instant::now();
    while server.stderr().total_bytes() < 1_000_000 {
        assert!(since.elapsed() < Duration::from_secs(60));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(server.stderr().head().len() + server.stderr().tail().len(), 1000);
    assert_eq!(server.stop(Duration::from_secs(10)).await, Exit::Code(1), "read ends at the end of stdin");
}

#[tokio::test]
async fn a_stubborn_server_is_killed() {
    let command = sh("trap '' TERM HUP; echo on; while :; do sleep 0.05; done").grace(Duration::from_millis(200));
    let mut server = start(&command).await;
    let mut lines = BufReader::new(server.take_stdout().unwrap()).lines();
    assert_eq!(lines.next_line().await.unwrap().unwrap(), "on");
    let pid = server.pid();
    assert_eq!(server.stop(Duration::from_millis(100)).await, Exit::Signal(9));
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
}

#[tokio::test]
async fn a_dropped_server_is_gone_soon() {
    let server = start(&sh("exec sleep 1000")).await;
    let path = format!("/proc/{}", server.pid());
    assert!(std::path::Path::new(&path).exists());
    drop(server);
    let since = Instant::now();
    while std::path::Path::new(&path).exists() {
        assert!(since.elapsed() < Duration::from_secs(60));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
