//! HTML as markdown. What strangers write makes the parser take memory without bounds, or recurse until the stack ends, so it
//! runs in a child of its own that the kernel holds to a little of both, and that has no secret to lose.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::time::Duration;

use aish_process::{Command, Environment, Exit, Stdin};
use aish_tools::builtin::PageError;
use htmd::HtmlToMarkdown;
use htmd::options::{BulletListMarker, Options};
use rustix::process::{Resource, Rlimit, setrlimit};
use tokio_util::sync::CancellationToken;

/// The argument by which a program is told to call [`serve`] before anything else.
pub const CHILD: &str = "__page";

/// Bytes of markdown at most.
const LONGEST: usize = 4 * 1024 * 1024;
/// Bytes of memory that the child may fill.
const MEMORY: u64 = 512 * 1024 * 1024;
/// Bytes of its stack, of that memory.
const STACK: usize = 128 * 1024 * 1024;
/// Seconds of a processor that it may take.
const PROCESSOR: u64 = 5;
/// How long it may take in all.
const PATIENCE: Duration = Duration::from_secs(15);

/// Tags whose content is no text of the page.
const SKIPPED: &[&str] =
    &["script", "style", "noscript", "template", "svg", "iframe", "object", "nav", "footer", "aside", "head"];

/// Turns HTML into markdown in a child: `command` is the program and the arguments with which it calls [`serve`].
///
/// # Errors
/// When the child did not come to an end.
pub(crate) async fn convert(
    command: &[OsString],
    html: Vec<u8>,
    cancel: &CancellationToken,
) -> Result<String, PageError> {
    let nothing = || PageError::Unreadable("there is nothing that reads pages here".to_owned());
    let (program, arguments) = command.split_first().ok_or_else(nothing)?;
    let command = Command::new(program)
        .args(arguments)
        .environment(Environment::empty())
        .cwd("/")
        .stdin(Stdin::Bytes(html))
        .timeout(PATIENCE)
        .output_cap(LONGEST)
        .grace(Duration::ZERO);
    let unread = |error| PageError::Unreadable(format!("the page cannot be read: {error}"));
    let done = aish_process::run(&command, cancel).await.map_err(unread)?;
    match done.exit {
        Exit::Code(0) => Ok(done.stdout.text()),
        Exit::Cancelled => Err(PageError::Cancelled),
        _ => {
            let why = "the page cannot be turned into text: it is nested too deep, or takes too much memory or time";
            Err(PageError::Unreadable(why.to_owned()))
        }
    }
}

/// Is the child: reads HTML from standard input, writes markdown to standard output.
///
/// # Errors
/// When a stream fails, or the bounds cannot be set: then nothing is read.
pub fn serve() -> io::Result<()> {
    let limit = |bound: u64| Rlimit { current: Some(bound), maximum: Some(bound) };
    setrlimit(Resource::Cpu, limit(PROCESSOR))?;
    setrlimit(Resource::Data, limit(MEMORY))?;
    setrlimit(Resource::Core, limit(0))?;
    setrlimit(Resource::Fsize, limit(0))?;
    setrlimit(Resource::Nofile, limit(8))?;
    let mut html = Vec::new();
    io::stdin().lock().read_to_end(&mut html)?;
    let work = std::thread::Builder::new().stack_size(STACK).spawn(move || of_html(&String::from_utf8_lossy(&html)))?;
    let markdown = work.join().map_err(|_| io::Error::other("the page cannot be read"))??;
    let mut out = io::stdout().lock();
    out.write_all(markdown.as_bytes())?;
    out.flush()
}

/// Turns HTML into markdown: its title as a heading, then what its body says.
fn of_html(html: &str) -> io::Result<String> {
    let options = Options { bullet_list_marker: BulletListMarker::Dash, ..Options::default() };
    let converter =
        HtmlToMarkdown::builder().options(options).scripting_enabled(false).skip_tags(SKIPPED.to_vec()).build();
    let markdown = converter.convert(html)?;
    Ok(markdown.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_becomes_markdown_without_scripts_and_frames() {
        let html = "<html><head><title>T</title><script>x()</script><style>y</style></head><body><nav>menu</nav>\
            <h1>Head</h1><p>One <b>two</b> <a href=\"/x\">three</a>.</p><ul><li>a<li>b</ul><pre><code>let x;\n</code></pre>\
            <noscript>no</noscript><iframe src=\"z\">frame</iframe><table><tr><th>k</th><th>v</th></tr><tr><td>1</td><td>2</td></tr></table></body>";
        let markdown = of_html(html).unwrap();
        for text in ["# Head", "One **two** [three](/x).", "a", "let x;", "| k "] {
            assert!(markdown.contains(text), "{text}: {markdown}");
        }
        for text in ["x()", "menu", "frame", "no\n"] {
            assert!(!markdown.contains(text), "{text}: {markdown}");
        }
        assert_eq!(of_html("just words").unwrap(), "just words");
        assert_eq!(of_html("").unwrap(), "");
    }
}
