//! The fake server over standard streams.

use std::io::{BufRead, Write, stderr, stdin, stdout};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use super::answer::{Answer, Memory, answer};
use super::script::{Framing, McpScript, Unknown};

/// Serves on standard input and output until the input ends, and returns the exit code.
pub fn serve_stdio(script: &McpScript) -> u8 {
    let memory = Memory::default();
    if let Some(file) = &script.child_pid_file
        && let Ok(child) = Command::new("sleep").arg("300").spawn()
    {
        let _ = std::fs::write(file, child.id().to_string());
    }
    for line in &script.banner {
        write_out(&format!("{line}\n"));
    }
    flood(script.stderr_bytes);
    for line in stdin().lock().lines() {
        let Ok(line) = line else { break };
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        let method = message.get("method").and_then(Value::as_str).unwrap_or_default().to_owned();
        flood(script.stderr_bytes);
        match answer(script, &memory, &message) {
            Answer::Messages(messages) => {
                messages.iter().for_each(|message| write_message(script, message));
                if script.last.contains(&method) {
                    return 0;
                }
            }
            Answer::Nothing | Answer::Hang => {}
            Answer::Exit => return 3,
            Answer::Block => loop {
                std::thread::sleep(Duration::from_secs(3600));
            },
            Answer::Broken => {
                let id = message.get("id").map(Value::to_string).unwrap_or_default();
                write_message(
                    script,
                    &format!("{{\"id\":{id},\"error\":{{\"code\":\"E500\",\"message\":\"broken\"}}}}"),
                );
            }
        }
        if script.deaf && method == "notifications/initialized" {
            loop {
                std::thread::sleep(Duration::from_secs(3600));
            }
        }
    }
    if script.stubborn {
        std::thread::sleep(Duration::from_secs(3600));
    }
    if script.unknown == Unknown::Exit { 3 } else { 0 }
}

fn write_message(script: &McpScript, message: &str) {
    write_out(&match script.framing {
        Framing::Prefixed => format!("2026-01-01 INFO sending {message}\n"),
        Framing::NoNewline => message.to_owned(),
        Framing::Crlf => format!("{message}\r\n"),
        Framing::Length => format!("Content-Length: {}\r\n\r\n{message}", message.len()),
        Framing::Plain
        | Framing::Pretty
        | Framing::Batch
        | Framing::Bom
        | Framing::Sse
        | Framing::SseJunk
        | Framing::SseCut
        | Framing::SseTight
        | Framing::SseOpen
        | Framing::Coloured
        | Framing::Utf16
        | Framing::Cut
        | Framing::ChunksCut => format!("{message}\n"),
    });
}

fn write_out(text: &str) {
    let mut out = stdout().lock();
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}

fn flood(bytes: usize) {
    let line = [b'e'; 1023];
    let mut err = stderr().lock();
    for _ in 0..bytes.div_ceil(1024) {
        let _ = err.write_all(&line);
        let _ = err.write_all(b"\n");
    }
}
