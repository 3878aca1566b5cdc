//! The time zone of this machine.

use std::fs::File;
use std::io::Read as _;

use jiff::tz::TimeZone;

/// The most bytes of a zone's file that are read; the largest that are published have 4 KiB.
const MOST: u64 = 64 * 1024;

/// Returns the machine's time zone; that of `TZ` where it is set.
///
/// The file of the zone is read as it is: to find its name the library would walk through all zones at each start.
pub fn local() -> TimeZone {
    match std::env::var_os("TZ") {
        Some(_) => TimeZone::system(),
        None => of_file("/etc/localtime").unwrap_or_else(TimeZone::system),
    }
}

fn of_file(path: &str) -> Option<TimeZone> {
    let mut data = Vec::new();
    File::open(path).ok()?.take(MOST).read_to_end(&mut data).ok()?;
    TimeZone::tzif("Local", &data).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_tells_the_same_time_as_the_name() {
        for (path, name) in [("/usr/share/zoneinfo/Europe/Berlin", "Europe/Berlin"), ("/usr/share/zoneinfo/UTC", "UTC")]
        {
            let (Some(of_file), Ok(named)) = (of_file(path), TimeZone::get(name)) else {
                assert!(!std::path::Path::new(path).exists(), "{path} is no zone");
                continue;
            };
            for second in (0..4_000_000_000).step_by(10_000_019) {
                let at = jiff::Timestamp::from_second(second).unwrap();
                assert_eq!(of_file.to_offset(at), named.to_offset(at), "{name} at {at}");
            }
        }
        assert!(of_file("/etc/passwd").is_none());
    }
}
