//! A launcher that was started beforehand holds its command as the other does.

use std::io::Write as _;
use std::process::{Command, Stdio};

use aish_confine::{Mechanism, Network, Ready, Report};

use crate::place::{Place, is_root, launcher};

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

#[test]
fn a_plan_on_a_descriptor_of_its_own_is_run_and_that_descriptor_is_gone() {
    let place = Place::new();
    let plans = place.home.join("plans");
    rustix::fs::mkfifoat(rustix::fs::CWD, &plans, rustix::fs::Mode::RWXU).unwrap();
    for no_input in [false, true] {
        let (layer, mut plan) = place.plan("cat; [ -e /proc/self/fd/3 ] && echo open; echo end");
        plan.environment = Some(vec![("PATH".into(), "/usr/bin:/bin".into())]);
        plan.no_input = no_input;
        let mut command = Command::new("sh");
        command.args(["-c", "exec \"$0\" --wait-beside 3<\"$1\""]).arg(launcher()).arg(&plans);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        std::fs::write(&plans, plan.to_told().unwrap()).unwrap();
        // Nobody may be there to read it.
        let _ = child.stdin.take().unwrap().write_all(b"typed\n");
        let output = child.wait_with_output().unwrap();
        let expected = if no_input { "end\n" } else { "typed\nend\n" };
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{}", String::from_utf8_lossy(&output.stderr));
        layer.discard().unwrap();
    }
}

#[test]
fn a_mount_that_came_while_the_launcher_waited_is_seen() {
    if !is_root() {
        return;
    }
    let place = Place::new();
    place.write("inner/a", "old\n");
    let noted = place.home.join("pid");
    let mut command = Command::new("sh");
    // In a table of mounts of its own, so that nobody else has another.
    command.args(["-c", "echo $$ > \"$0\"; exec unshare -m \"$1\" \"$2\""]).arg(&noted).arg(launcher());
    let ready = Ready::start(command.stdout(Stdio::piped()).stderr(Stdio::piped())).unwrap();
    let waits = || {
        let pid = std::fs::read_to_string(&noted).ok()?.trim().to_owned();
        let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
        (!children.is_empty()).then_some(pid)
    };
    let deadline = std::time::Instant::now() + std::time::Duration::from_mins(1);
    let pid = loop {
        assert!(std::time::Instant::now() < deadline, "it never waited");
        match waits() {
            Some(pid) => break pid,
            None => std::thread::sleep(std::time::Duration::from_millis(1)),
        }
    };
    let mount = ["-t", &pid, "-m", "mount", "-t", "tmpfs", "none"];
    assert!(Command::new("nsenter").args(mount).arg(place.tree.join("inner")).status().unwrap().success());
    let (layer, plan) = place.plan("echo new > inner/a");
    assert_eq!(ready.run(&plan).unwrap().wait().unwrap().code(), Some(125));
    let failed = Report::read(&layer.report_path()).unwrap().failed.unwrap();
    assert!(failed.contains("is another mount"), "{failed}");
    assert_eq!(place.read("inner/a"), "old\n");
    layer.discard().unwrap();
}
