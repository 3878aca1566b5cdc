//! How long a reply of 2,000 tokens takes to render.

use std::time::Duration;

use aish_term::{Capabilities, Markdown, Theme};

const SECTION: &str = "\
## Finding large files

You can use `find` for that. It walks the tree **once** and prints what matches, see the
[manual](https://www.gnu.org/software/findutils/manual/). A few things to know beforehand: sizes are rounded up, and
permissions may hide folders from you.

1. List the files over ten megabytes:
   ```bash
   find . -type f -size +10M -exec ls -lh {} \\; | sort -k5 -h | tail -n 20
   ```
2. Look at what takes the room, *folder by folder*:
   - `du -sh *` sums each entry
   - `du -ah | sort -h` shows everything

| Option | Meaning | Example |
|--------|---------|--------:|
| `-size` | compares the size | `+10M` |
| `-mtime` | compares the age in days | `-7` |

```rust
fn largest(root: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        let size = entry.metadata()?.len(); // in bytes
        found.push((size, entry.path()));
    }
    found.sort_by_key(|(size, _)| Reverse(*size));
    Ok(found)
}
```

> Links are not followed unless you ask for it.

";

/// Cuts a reply into tokens of about four bytes: 2,000 of them.
fn tokens() -> Vec<String> {
    let text: Vec<char> = SECTION.chars().cycle().take(8_000).collect();
    text.chunks(4).map(|chunk| chunk.iter().collect()).collect()
}

fn stream(tokens: &[String], step: Duration) -> usize {
    let mut markdown = Markdown::new(Theme::dark(), Capabilities::terminal(100, 40));
    let mut written = 0;
    let mut out = String::new();
    let mut now = Duration::ZERO;
    for token in tokens {
        out.clear();
        markdown.push(token, now, &mut out);
        written += out.len();
        now += step;
    }
    out.clear();
    markdown.finish(&mut out);
    written + out.len()
}

/// As fast as a local server sends: 2,000 tokens in 100 ms.
#[divan::bench]
fn full_speed(bencher: divan::Bencher<'_, '_>) {
    let tokens = tokens();
    bencher.bench_local(|| stream(&tokens, Duration::from_micros(50)));
}

/// Each token is drawn: 2,000 tokens at 60 a second.
#[divan::bench]
fn every_token_drawn(bencher: divan::Bencher<'_, '_>) {
    let tokens = tokens();
    bencher.bench_local(|| stream(&tokens, Duration::from_millis(17)));
}

/// The first reply of a process, syntaxes loaded and their expressions compiled: one sample, taken cold.
#[divan::bench(sample_count = 1, sample_size = 1)]
fn a_first_reply(bencher: divan::Bencher<'_, '_>) {
    let tokens = tokens();
    bencher.bench_local(|| stream(&tokens, Duration::from_micros(50)));
}

fn main() {
    divan::main();
}
