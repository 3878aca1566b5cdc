//! Serves one connection: reads requests, takes their replies from the script, and plays them.

use std::io::{self, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use super::reply::{End, Framing, Piece, Reply};
use super::request::RecordedRequest;
use super::state::Shared;

/// What becomes of the connection after a reply.
#[derive(PartialEq, Eq)]
enum After {
    Keep,
    Close,
}

pub(super) fn serve(stream: TcpStream, shared: &Shared) {
    // Small writes must leave at once: the split is what is tested.
    drop(stream.set_nodelay(true));
    let Ok(read_half) = stream.try_clone() else { return };
    let mut reader = BufReader::new(read_half);
    loop {
        let request = match RecordedRequest::read(&mut reader) {
            Ok(Some(request)) => request,
            Ok(None) => return,
            Err(error) => {
                match error.kind() {
                    io::ErrorKind::InvalidData => shared.unreadable(format!("unreadable request: {error}")),
                    _ => shared.disconnected(),
                }
                return;
            }
        };
        let reply = shared
            .answer(request)
            .unwrap_or_else(|| Reply::error(500, "the scripted model server did not expect this request"));
        match play(&stream, &reply, shared) {
            Ok(After::Keep) => {}
            Ok(After::Close) => return,
            Err(_) => return shared.disconnected(),
        }
    }
}

fn play(mut stream: &TcpStream, reply: &Reply, shared: &Shared) -> io::Result<After> {
    pause(stream, reply.before, shared)?;
    let mut out = Vec::new();
    if reply.head && reply.framing != Framing::Raw {
        out.extend_from_slice(&head(reply));
    }
    for piece in &reply.pieces {
        match piece {
            Piece::Pause(time) => {
                flush(stream, &mut out)?;
                pause(stream, *time, shared)?;
            }
            Piece::Bytes(bytes) if reply.head => {
                for part in reply.split.parts(bytes) {
                    if reply.framing == Framing::Chunked {
                        write!(out, "{:x}\r\n", part.len())?;
                        out.extend_from_slice(part);
                        out.extend_from_slice(b"\r\n");
                    } else {
                        out.extend_from_slice(part);
                    }
                    if reply.split != super::reply::Split::Pieces {
                        flush(stream, &mut out)?;
                    }
                }
            }
            Piece::Bytes(_) => {}
        }
    }
    if reply.end == End::Clean && reply.framing == Framing::Chunked {
        out.extend_from_slice(b"0\r\n\r\n");
    }
    flush(stream, &mut out)?;
    match reply.end {
        End::Clean if matches!(reply.framing, Framing::Chunked | Framing::Length) => Ok(After::Keep),
        End::Clean | End::Cut => {
            stream.shutdown(Shutdown::Both)?;
            Ok(After::Close)
        }
        End::Reset => {
            rustix::net::sockopt::set_socket_linger(stream, Some(Duration::ZERO))?;
            // What is unread makes the reset certain even where lingering is not honoured.
            stream.shutdown(Shutdown::Read)?;
            Ok(After::Close)
        }
        End::HalfClose => {
            stream.shutdown(Shutdown::Write)?;
            io::copy(&mut stream, &mut io::sink())?;
            Ok(After::Close)
        }
        End::Hang => {
            let mut rest = [0_u8; 512];
            while stream.read(&mut rest)? > 0 {}
            shared.disconnected();
            Ok(After::Close)
        }
    }
}

fn flush(mut stream: &TcpStream, out: &mut Vec<u8>) -> io::Result<()> {
    stream.write_all(out)?;
    out.clear();
    Ok(())
}

/// Pauses; ends early when the server stops or the client goes.
fn pause(stream: &TcpStream, time: Duration, shared: &Shared) -> io::Result<()> {
    if time.is_zero() {
        return Ok(());
    }
    let step = Duration::from_millis(20);
    let mut left = time;
    while !left.is_zero() {
        let now = left.min(step);
        if !shared.pause(now) || gone(stream)? {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        left -= now;
    }
    Ok(())
}

/// Returns whether the client has closed its side, without taking bytes of a next request.
fn gone(stream: &TcpStream) -> io::Result<bool> {
    stream.set_nonblocking(true)?;
    let peeked = stream.peek(&mut [0_u8; 1]);
    stream.set_nonblocking(false)?;
    Ok(match peeked {
        Ok(0) => true,
        Ok(_) => false,
        Err(error) => error.kind() != io::ErrorKind::WouldBlock,
    })
}

fn head(reply: &Reply) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {} {}\r\n", reply.status, reason(reply.status)).into_bytes();
    for (name, value) in &reply.headers {
        if !value.is_empty() {
            head.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
        }
    }
    let framing = match reply.framing {
        Framing::Chunked => "Transfer-Encoding: chunked\r\n".to_owned(),
        Framing::Length => format!("Content-Length: {}\r\n", reply.body().len()),
        Framing::Close => "Connection: close\r\n".to_owned(),
        Framing::Raw => String::new(),
    };
    head.extend_from_slice(framing.as_bytes());
    head.extend_from_slice(b"\r\n");
    head
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        _ => "Status",
    }
}
