//! A launcher that was started beforehand holds its command as the other does.

use std::io::Write as _;
use std::process::{Command, Stdio};

use aish_confine::{Mechanism, Network, Ready, Report};

use crate::place::{Place, launcher};

fn start() -> Ready {
    let mut command = Command::new(launcher());
    command.env_clear().env("HELD", "hush").stdout(Stdio::piped()).stderr(Stdio::piped());
    Ready::start(&mut command).unwrap()
}

#[test]
fn a_plan_that_comes_later_is_run_with_its_own_variables_and_input() {
    let place = Place::new();
    place.write("a", "old\n");
    for (mechanism, network) in [
        (Mechanism::Namespaces, Network::Loopback),
        (Mechanism::Namespaces, Network::Machine),
        (Mechanism::Landlock, Network::Loopback),
    ] {
        let ready = start();
        let (layer, mut plan) = place.plan(
            "echo new >> a; cat a; read line; echo $line; env | grep -E 'HELD|GIVEN'; echo x > ../beside; exit 3",
        );
        plan.mechanism = mechanism;
        plan.network = network;
        plan.environment = Some(vec![("PATH".into(), "/usr/bin:/bin".into()), ("GIVEN".into(), "1".into())]);
        let mut child = ready.run(&plan).unwrap();
        child.stdin.take().unwrap().write_all(b"typed\n").unwrap();
        let output = child.wait_with_output().unwrap();
        let expected =
            if mechanism == Mechanism::Namespaces { "old\nnew\ntyped\nGIVEN=1\n" } else { "old\ntyped\nGIVEN=1\n" };
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(3));
        assert_eq!(Report::read(&layer.report_path()).unwrap().code, Some(3));
        assert!(!place.home.join("beside").exists());
        assert_eq!(place.read("a"), "old\n");
        layer.discard().unwrap();
    }
}

#[test]
fn a_launcher_that_is_not_needed_leaves_nothing() {
    let marker = format!("ready-{}", std::process::id());
    let mut command = Command::new(launcher());
    command.env("MARKER", &marker).stdout(Stdio::piped());
    drop(Ready::start(&mut command).unwrap());
    let mut told = Command::new(launcher()).arg("--wait").stdin(Stdio::null()).env("MARKER", &marker).spawn().unwrap();
    assert_eq!(told.wait().unwrap().code(), Some(0), "the end of input is the end");
    let left = std::fs::read_dir("/proc").unwrap().flatten().filter(|entry| {
        std::fs::read(entry.path().join("environ")).is_ok_and(|all| String::from_utf8_lossy(&all).contains(&marker))
    });
    assert_eq!(left.count(), 0);
    let mut child = Command::new(launcher()).arg("--wait").stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&[255; 64]).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(125), "what is no plan is refused");
}
