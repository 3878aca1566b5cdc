//! A session as one HTML page: light and dark by the reader's own setting, code coloured, tool calls folded. It has no
//! script, loads nothing, and its policy forbids both.

use aish_term::html::{code, escape, prose};
use aish_turn::command_line::{CommandReader, Piece};
use aish_types::attachment::parts;
use aish_types::{Block, Message, sanitize};

use super::{Exported, pretty};

const STYLE: &str = include_str!("html/page.css");

/// Characters of arguments in the line that stays visible.
const SUMMARY: usize = 100;

pub(super) fn write(exported: &Exported<'_>) -> String {
    let title = escape(exported.title());
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<header>\n<h1>{title}</h1>\n<dl>\n"
    );
    for (name, value) in exported.facts() {
        out.push_str(&format!("<dt>{name}</dt><dd>{}</dd>\n", escape(&value)));
    }
    out.push_str("</dl>\n</header>\n");
    for turn in &exported.session.turns {
        match &turn.message {
            Message::User { content, blocks } => user(&mut out, content, blocks, &turn.time),
            Message::Assistant { content, .. } => {
                let model = turn.model.as_deref().unwrap_or("assistant");
                open(&mut out, "assistant", model, &turn.time);
                prose(&mut out, &with_commands(&sanitize(content)));
                for (call, result) in exported.calls(turn) {
                    tool(&mut out, call.name.as_str(), &call.arguments, result);
                }
                out.push_str("</section>\n");
            }
            // Results stand with their calls.
            Message::Tool { .. } | Message::System { .. } => {}
        }
    }
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

fn open(out: &mut String, class: &str, who: &str, time: &str) {
    let (who, time) = (escape(who), escape(time));
    out.push_str(&format!("<section class=\"{class}\">\n<h2>{who} <time>{time}</time></h2>\n"));
}

fn user(out: &mut String, content: &str, blocks: &[Block], time: &str) {
    let parts = parts(content);
    let asked = !parts.question.is_empty() || !blocks.is_empty();
    open(out, if asked { "user" } else { "output" }, if asked { "user" } else { "shell" }, time);
    folded(out, "memory", parts.memory);
    folded(out, "output of commands", parts.outputs);
    if !parts.question.is_empty() {
        out.push_str(&format!("<p class=\"said\">{}</p>\n", escape(parts.question)));
    }
    folded(out, "input", parts.input);
    blocks.iter().for_each(|block| image(out, block));
    out.push_str("</section>\n");
}

fn folded(out: &mut String, summary: &str, text: &str) {
    if !text.is_empty() {
        out.push_str(&format!("<details><summary>{summary}</summary>\n<pre>{}</pre>\n</details>\n", escape(text)));
    }
}

fn tool(out: &mut String, name: &str, arguments: &str, result: Option<&str>) {
    let short: String = arguments.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(SUMMARY).collect();
    out.push_str(&format!(
        "<details class=\"tool\"><summary><b>{}</b> <code>{}</code></summary>\n",
        escape(name),
        escape(&short)
    ));
    code(out, "json", &pretty(arguments));
    match result {
        Some(result) => out.push_str(&format!("<pre>{}</pre>\n", escape(result))),
        None => out.push_str("<p class=\"none\">no result</p>\n"),
    }
    out.push_str("</details>\n");
}

/// Shows an image whose type and characters are what they must be; other blocks are named.
fn image(out: &mut String, block: &Block) {
    let is_base64 = |data: &str| data.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte));
    match block {
        Block::Image { media_type, data }
            if ["image/png", "image/jpeg", "image/gif", "image/webp"].contains(&media_type.as_str())
                && is_base64(data) =>
        {
            out.push_str(&format!("<img alt=\"an image\" src=\"data:{media_type};base64,{data}\">\n"));
        }
        Block::Image { media_type, .. } | Block::Audio { media_type, .. } => {
            out.push_str(&format!("<p class=\"none\">{}</p>\n", escape(media_type)));
        }
        Block::Resource { uri, .. } => out.push_str(&format!("<p class=\"none\">{}</p>\n", escape(uri))),
    }
}

/// Makes a block of code of each command that is proposed; within code it stays lines of it.
fn with_commands(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut fence: Option<String> = None;
    let mut commands = CommandReader::default();
    let mut put = |piece: Piece, fence: &mut Option<String>| match piece {
        Piece::Command(command) => {
            let tildes = |line: &str| line.trim_start().chars().take_while(|c| *c == '~').count();
            let mark = "~".repeat(command.lines().map(tildes).max().unwrap_or(0).max(7) + 1);
            out.push_str(&format!("\n{mark} bash\n{command}\n{mark}\n\n"));
        }
        Piece::Prose(line) => {
            let line = line.trim_end_matches(['\n', '\r']);
            follow(fence, line);
            out.push_str(line);
            out.push('\n');
        }
    };
    for line in text.split_inclusive('\n') {
        if fence.is_some() {
            put(Piece::Prose(line.to_owned()), &mut fence);
        } else {
            commands.line(line).into_iter().for_each(|piece| put(piece, &mut fence));
        }
    }
    commands.end().into_iter().for_each(|piece| put(piece, &mut fence));
    out
}

/// Follows where code begins and ends, by a line.
fn follow(fence: &mut Option<String>, line: &str) {
    let start = line.trim_start();
    let mark: String = start.chars().take_while(|c| matches!(c, '`' | '~')).collect();
    match fence {
        None if mark.len() >= 3 => *fence = Some(mark),
        Some(open) if start.trim_end() == mark && mark.starts_with(open.as_str()) => *fence = None,
        None | Some(_) => {}
    }
}
