//! Whether a file is a program that the kernel starts, by its header: of any other that can be run a shell reads the text.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::LazyLock;

use crate::attributes;

/// Bytes of the longest header, and where in it the machine is named.
const HEADER: usize = 64;
const MACHINE: usize = 18;

/// Kinds of files that are started: at a fixed address, and anywhere.
const STARTED: [u64; 2] = [2, 3];

/// Segments: what is loaded, and the name of the loader.
const LOAD: u64 = 1;
const LOADER: u64 = 3;

/// Bytes of all headers of segments, and of a loader's name, that the kernel takes.
const LONGEST_HEADERS: u64 = 65_536;
const LONGEST_LOADER: u64 = 4_096;

/// Where a form of the format has its fields: offset and width.
struct Form {
    header: u64,
    segment: u64,
    segments_at: (usize, usize),
    header_size: usize,
    segment_size: usize,
    segment_number: usize,
    /// In a segment.
    offset: (usize, usize),
    size: (usize, usize),
}

const FORM_32: Form = Form {
    header: 52,
    segment: 32,
    segments_at: (28, 4),
    header_size: 40,
    segment_size: 42,
    segment_number: 44,
    offset: (4, 4),
    size: (16, 4),
};
const FORM_64: Form = Form {
    header: 64,
    segment: 56,
    segments_at: (32, 8),
    header_size: 52,
    segment_size: 54,
    segment_number: 56,
    offset: (8, 8),
    size: (32, 8),
};

/// Says whether the kernel of this machine starts a file.
pub(super) fn is_one(file: &Path) -> bool {
    read(file).is_ok_and(|is| is == Some(true))
}

fn read(file: &Path) -> io::Result<Option<bool>> {
    let file = attributes::open(file)?;
    let length = file.metadata()?.len();
    let mut header = [0; HEADER];
    file.read_exact_at(&mut header, 0)?;
    Ok(is_program(&file, &header, length))
}

fn is_program(file: &File, header: &[u8], length: u64) -> Option<bool> {
    let form = match header.get(..7)? {
        [0x7f, b'E', b'L', b'F', 1, 1 | 2, 1] => FORM_32,
        [0x7f, b'E', b'L', b'F', 2, 1 | 2, 1] => FORM_64,
        _ => return Some(false),
    };
    let is_big = *header.get(5)? == 2;
    let of_header = |at: usize, width: usize| number(header, (at, width), is_big);
    let size = of_header(form.segment_number, 2)?.checked_mul(form.segment)?;
    let start = number(header, form.segments_at, is_big)?;
    let is_right = STARTED.contains(&of_header(16, 2)?)
        && header.get(MACHINE..MACHINE + 2)? == own_machine().as_slice()
        && of_header(20, 4)? == 1
        && of_header(form.header_size, 2)? == form.header
        && of_header(form.segment_size, 2)? == form.segment
        && (form.segment..=LONGEST_HEADERS).contains(&size)
        && start.checked_add(size)? <= length;
    if !is_right {
        return Some(false);
    }
    let mut segments = vec![0; usize::try_from(size).ok()?];
    file.read_exact_at(&mut segments, start).ok()?;
    let mut is_loaded = false;
    for segment in segments.chunks(usize::try_from(form.segment).ok()?) {
        let kind = number(segment, (0, 4), is_big)?;
        let (offset, size) = (number(segment, form.offset, is_big)?, number(segment, form.size, is_big)?);
        if kind != LOAD && kind != LOADER {
            continue;
        }
        let end = offset.checked_add(size)?;
        if end > length {
            return Some(false);
        }
        is_loaded |= kind == LOAD;
        let mut last = [1];
        if kind == LOADER
            && (!(2..=LONGEST_LOADER).contains(&size) || file.read_exact_at(&mut last, end - 1).is_err() || last != [0])
        {
            return Some(false);
        }
    }
    Some(is_loaded)
}

/// Returns the machine that this program itself was made for.
fn own_machine() -> Vec<u8> {
    static OWN: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let mut header = [0; HEADER];
        let read = File::open("/proc/self/exe").and_then(|file| file.read_exact_at(&mut header, 0));
        read.ok().and_then(|()| header.get(MACHINE..MACHINE + 2)).unwrap_or_default().to_vec()
    });
    OWN.clone()
}

fn number(bytes: &[u8], (at, width): (usize, usize), is_big: bool) -> Option<u64> {
    let bytes = bytes.get(at..at + width)?;
    let add = |number: u64, byte: &u8| (number << 8) | u64::from(*byte);
    Some(if is_big { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_program_is_known_by_its_whole_header() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x");
        let is = |bytes: &[u8]| {
            fs::write(&file, bytes).unwrap();
            is_one(&file)
        };
        let program = fs::read("/proc/self/exe").unwrap();
        assert!(is(&program) && is_one(Path::new("/bin/sh")));
        for script in [&b""[..], b"\x7fELF", b"\x7fELF\ntouch x\n", b"#!/bin/sh\n", &program[..64], &program[..4000]] {
            assert!(!is(script));
        }
        let changed = |at: usize, to: &[u8]| {
            let mut changed = program.clone();
            changed[at..at + to.len()].copy_from_slice(to);
            changed
        };
        for (at, to) in [(4, &b"\0"[..]), (16, b"\x01\0"), (18, b"\x99\x99"), (54, b"\x01\0"), (56, b"\0\0")] {
            assert!(!is(&changed(at, to)), "{at}");
        }
        let script = [&changed(18, b"\x99\x99")[..64], b"\ntouch x\n", &[0; 4000]].concat();
        assert!(!is(&script), "a shell would read it");
    }
}
