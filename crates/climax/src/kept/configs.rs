//! Configurations in a kept file, each with the stamp of the file that it was read from.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt as _;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use aish_types::record::{RecordReader, RecordWriter};
use serde::{Deserialize, Serialize};

use crate::config::{Arg, Config, Tools};
use crate::load::Source;

/// Nanoseconds for which a file must have been left alone: clocks of files tick slowly, and a change within a tick is not seen.
const SETTLED: i128 = 1_000_000_000;

/// What tells whether a file is still the one that was read: device, inode, length, times of content and of anything else.
type Stamp = [u64; 5];

/// What can be kept of one source.
#[derive(Debug)]
pub(super) struct Kept {
    address: String,
    /// As it was before it was read; none for what has no file, and for one that was changed a moment ago.
    stamp: Option<Stamp>,
    /// The configuration; none while it is not known, and where it cannot be kept.
    pub(super) config: Option<Arc<Config>>,
}

/// A configuration without its tools.
#[derive(Serialize, Deserialize)]
struct Head {
    name: String,
    description: String,
    command: String,
    env: Vec<(String, String)>,
    working_dir: Option<String>,
    category: Option<String>,
    tags: Vec<String>,
    global_args: Vec<Arg>,
    options_first: bool,
}

impl Kept {
    /// Looks at a source's file.
    pub(super) fn of(source: &Source) -> Self {
        Self { address: address(source), stamp: stamp(source), config: None }
    }

    /// Says whether a configuration of this source can be kept: what it says of servers and APIs is always read.
    pub(super) fn can_hold(&self, config: &Config) -> bool {
        self.stamp.is_some() && config.api.is_none() && config.servers.is_empty()
    }
}

/// Returns what a source is called wherever the program is started.
pub(super) fn address(source: &Source) -> String {
    match source {
        Source::File(path) => std::path::absolute(path).unwrap_or_else(|_| path.clone()).to_string_lossy().into_owned(),
        Source::Bundled(bundled) => format!("bundled {}", bundled.name),
    }
}

fn stamp(source: &Source) -> Option<Stamp> {
    let Source::File(path) = source else { return None };
    let meta = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let nanoseconds = |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
    let (written, changed) =
        (nanoseconds(meta.mtime(), meta.mtime_nsec()), nanoseconds(meta.ctime(), meta.ctime_nsec()));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok().and_then(|now| i128::try_from(now.as_nanos()).ok())?;
    let is_settled = written.max(changed) + SETTLED < now;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "nanoseconds fit until the year 2554")]
    is_settled.then(|| [meta.dev(), meta.ino(), meta.len(), written as u64, changed as u64])
}

/// Writes all that can be kept behind a head.
pub(super) fn write(all: &[Kept], head: Vec<u8>) -> Vec<u8> {
    let mut out = RecordWriter::behind(head);
    for kept in all {
        let (Some(stamp), Some(config)) = (kept.stamp, &kept.config) else { continue };
        let Some(head) = head_of(config) else { continue };
        out.text(&kept.address);
        stamp.iter().for_each(|&part| out.number(part));
        out.text(&head);
        config.tools.write(&mut out);
    }
    out.into_bytes()
}

/// Writes a configuration without its tools.
fn head_of(config: &Config) -> Option<String> {
    let head = Head {
        name: config.name.clone(),
        description: config.description.clone(),
        command: config.command.clone(),
        env: config.env.clone(),
        working_dir: config.working_dir.clone(),
        category: config.category.clone(),
        tags: config.tags.clone(),
        global_args: config.global_args.clone(),
        options_first: config.options_first,
    };
    serde_json::to_string(&head).ok()
}

/// Finds the configurations of sources that are as they were; what is not whole gives those before it.
pub(super) fn find(content: &[u8], all: &mut [Kept]) {
    let mut from = RecordReader::new(content);
    let mut places: HashMap<String, usize> = HashMap::with_capacity(all.len());
    places.extend(all.iter().zip(0..).map(|(kept, at)| (kept.address.clone(), at)));
    while !from.is_at_end() {
        let Some((address, stamp, config)) = one(&mut from) else { return };
        let kept = places.get(address).and_then(|&at| all.get_mut(at));
        if let Some(kept) = kept.filter(|kept| kept.stamp == Some(stamp)) {
            kept.config = Some(Arc::new(config));
        }
    }
}

fn one<'b>(from: &mut RecordReader<'b>) -> Option<(&'b str, Stamp, Config)> {
    let address = from.text()?;
    let mut stamp = Stamp::default();
    for part in &mut stamp {
        *part = from.number()?;
    }
    let Head { name, description, command, env, working_dir, category, tags, global_args, options_first } =
        serde_json::from_str(from.text()?).ok()?;
    let config = Config {
        name,
        description,
        command,
        api: None,
        env,
        working_dir,
        category,
        tags,
        global_args,
        options_first,
        tools: Tools::read(from)?,
        servers: Vec::new(),
    };
    Some((address, stamp, config))
}
