//! A proxy between a program and a scripted server: it takes `CONNECT`, speaks TLS for the hosts of the
//! [`tls`](crate::tls) certificate, and takes plain requests in absolute form too. Whatever host is meant, the one server answers.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rustix::event::{PollFd, PollFlags, poll};
use rustls::{ServerConfig, ServerConnection};

use crate::tls;

/// A running proxy; its threads end with the test's process.
#[derive(Debug)]
pub struct Proxy {
    url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    /// Starts a proxy in front of a server at `address` (`127.0.0.1:PORT`).
    ///
    /// # Errors
    /// When no port is free.
    pub fn start(address: &str) -> io::Result<Self> {
        let config = tls::server()?;
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let url = format!("http://{}", listener.local_addr()?);
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (log, config, address) = (Arc::clone(&asked), config, address.to_owned());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (log, config, address) = (Arc::clone(&log), Arc::clone(&config), address.clone());
                // What breaks off here is seen by the program, or by the script that waits.
                thread::spawn(move || drop(serve(stream, &address, config, &log)));
            }
        });
        Ok(Self { url, asked })
    }

    /// Returns the proxy's address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the first lines of the requests so far: `CONNECT host:443` and `POST http://…`.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn serve(client: TcpStream, address: &str, config: Arc<ServerConfig>, log: &Mutex<Vec<String>>) -> io::Result<()> {
    let mut reader = BufReader::new(client.try_clone()?);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let asked = first.trim_end().trim_end_matches(" HTTP/1.1").to_owned();
    log.lock().unwrap_or_else(PoisonError::into_inner).push(asked.clone());
    let server = TcpStream::connect(address)?;
    if asked.starts_with("CONNECT ") {
        let mut line = String::new();
        while reader.read_line(&mut line)? > 2 {
            line.clear();
        }
        (&client).write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
        return relay(&client, &server, config);
    }
    // `POST http://host/path` becomes `POST /path`; all that follows goes on as it is.
    let (method, url) = asked.split_once(' ').unwrap_or_default();
    let path = url.splitn(4, '/').nth(3).unwrap_or_default();
    (&server).write_all(format!("{method} /{path} HTTP/1.1\r\n").as_bytes())?;
    (&server).write_all(reader.buffer())?;
    let (mut from, mut to) = (client.try_clone()?, server.try_clone()?);
    thread::spawn(move || drop(io::copy(&mut from, &mut to)));
    io::copy(&mut &server, &mut &client)?;
    client.shutdown(Shutdown::Both)
}

/// Carries bytes both ways, encrypted to the client, plain to the server, until one of them ends.
fn relay(mut client: &TcpStream, mut server: &TcpStream, config: Arc<ServerConfig>) -> io::Result<()> {
    let mut tls = ServerConnection::new(config).map_err(io::Error::other)?;
    let mut buffer = [0_u8; 16 * 1024];
    loop {
        let mut waiting = [PollFd::new(client, PollFlags::IN), PollFd::new(server, PollFlags::IN)];
        poll(&mut waiting, None)?;
        let [from_client, from_server] = waiting.map(|fd| !fd.revents().is_empty());
        if from_client {
            if tls.read_tls(&mut client)? == 0 {
                return Ok(());
            }
            let state = tls.process_new_packets().map_err(io::Error::other);
            // A refused certificate is told before the connection ends.
            while tls.wants_write() {
                tls.write_tls(&mut client)?;
            }
            let mut plain = vec![0; state?.plaintext_bytes_to_read()];
            tls.reader().read_exact(&mut plain)?;
            server.write_all(&plain)?;
        }
        if from_server {
            let read = server.read(&mut buffer)?;
            if read == 0 {
                tls.send_close_notify();
            } else {
                tls.writer().write_all(buffer.get(..read).unwrap_or_default())?;
            }
            while tls.wants_write() {
                tls.write_tls(&mut client)?;
            }
            if read == 0 {
                return client.shutdown(Shutdown::Write);
            }
        }
    }
}
