//! A run on a pseudo-terminal of its own.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::place::{Place, command};

#[test]
fn a_run_has_its_terminal_and_ctrl_c_reaches_it() {
    let place = Place::new();
    let (_layer, mut plan) =
        place.plan("tty -s && echo on; trap 'echo caught; exit 9' INT; echo ready; while :; do sleep 0.1; done");
    plan.terminal = true;
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let open = || -> OwnedFd {
        let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY;
        rustix::fs::open(name.as_c_str(), flags, rustix::fs::Mode::empty()).unwrap()
    };
    let mut child = command(&plan).stdin(open()).stdout(open()).stderr(open()).spawn().unwrap();
    let mut master = File::from(master);
    let mut said = String::new();
    let mut read_until = |master: &mut File, what: &str| {
        let mut piece = [0; 1024];
        while !said.contains(what) {
            let read = master.read(&mut piece).unwrap();
            said.push_str(&String::from_utf8_lossy(&piece[..read]));
        }
    };
    read_until(&mut master, "ready");
    master.write_all(b"\x03").unwrap();
    read_until(&mut master, "caught");
    assert_eq!(child.wait().unwrap().code(), Some(9));
    assert!(said.contains("on\r\n"), "{said}");
}
