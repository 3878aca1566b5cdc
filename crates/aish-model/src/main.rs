//! The embedded model's own executable: llama.cpp behind lines of JSON on standard input and output.
//!
//! It is a process of its own so that a crash of the model's code, its memory and its start-up cost stay away from
//! the shell. It reads one request a line and answers with events, one a line, in the order of the requests; the
//! words of both are in [`aish_types::embedded`]. It ends when its standard input ends. Standard error carries logs alone
//! (`AISH_MODEL_LOG=error|warn|info|debug|trace`).
//!
//! Reading order: [`aish_types::embedded`] (the protocol), [`inbox`] and [`outbox`] (the pipes), [`service`] (the loop), [`engine`] (the loaded
//! model), [`prompt`] (messages to tokens), [`grammar`] (what a tool call may look like), [`generate`] (tokens to
//! events), [`output`] (what of them is text, reasoning or a call). Its arguments are the files that it may read; before it
//! looks at any, it gives up everything else: other files, the network, other programs.

mod cpu;
mod engine;
mod generate;
mod gguf;
mod grammar;
mod inbox;
mod outbox;
mod output;
mod prompt;
mod sampler;
mod service;
mod threads;

use std::process::ExitCode;

fn main() -> ExitCode {
    service::main()
}
