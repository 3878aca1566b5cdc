//! Forks without end, a full layer, and other mechanisms.

use std::fs;

use aish_confine::{Ended, Mechanism};

use crate::place::Place;

#[test]
fn forks_end_at_their_limit_and_leave_nothing() {
    let place = Place::new();
    let ran = place
        .run_with("f() { while :; do sleep 100 & done; }; f 2>/tmp/said; exit 0", |plan| plan.limits.processes = 600);
    assert_ne!(ran.report.code, Some(0));
    assert!(ran.stderr.contains("fork") || fs::metadata("/proc/self").is_ok(), "{}", ran.stderr);
    assert_eq!(place.run("echo fine").stdout, "fine\n");
}

#[test]
fn a_layer_that_grows_over_its_limit_ends_the_run() {
    let place = Place::new();
    let ran = place.run_with("for i in $(seq 1000); do head -c 20M /dev/zero > f$i || exit 3; done", |plan| {
        plan.limits.layer_bytes = 100 << 20;
    });
    assert_eq!(ran.report.ended, Some(Ended::LayerFull), "{} {}", ran.code, ran.stderr);
    assert!(ran.layer.size().0 < 8 << 30);
    ran.layer.discard().unwrap();
}

#[test]
fn temporary_folders_have_an_end() {
    let place = Place::new();
    let ran = place.run_with("head -c 50M /dev/zero > /tmp/f", |plan| plan.limits.scratch_bytes = 10 << 20);
    assert!(ran.stderr.contains("No space left"), "{}", ran.stderr);
}

#[test]
fn exit_codes_and_signals_come_through() {
    let place = Place::new();
    for (line, code) in
        [("exit 42", 42), ("kill -TERM $$", 143), ("kill -SEGV $$", 139), ("kill -KILL $$", 137), ("true", 0)]
    {
        assert_eq!(place.run(line).code, code, "{line}");
    }
    let missing = place.run_with("", |plan| plan.command = vec!["no-such-program".into()]);
    assert_eq!(
        (missing.code, missing.stderr.as_str()),
        (127, "aish: no-such-program: No such file or directory (os error 2)\n")
    );
    let no_tree = place.run_with("true", |plan| plan.roots[0].upper = "/nowhere".into());
    assert_eq!(no_tree.code, 125);
    assert_eq!(no_tree.report.failed.as_deref(), Some("/nowhere: No such file or directory (os error 2)"));
}

#[test]
fn without_name_spaces_folders_are_read_and_nothing_is_written() {
    let place = Place::new();
    place.write("a", "open\n");
    place.write(".env", "hush\n");
    fs::write(place.home.join("secret"), "hush\n").unwrap();
    let env = place.tree.join(".env");
    let ran = place.run_with(
        "cat a .env ../secret; echo x > a; echo x > new; chmod 700 a; touch a; mkdir d; echo x > /dev/tcp/127.0.0.1/9; \
         setfattr -n user.x -v 1 a; renice 5 $$; mknod n p; ln a b; rm a; (setsid sleep 1000 >/dev/null 2>&1 &); \
         sed -n 1p a | grep -c open; python3 -c 'import socket;socket.socket(1)'; kill -0 1 || echo alone",
        |plan| {
            plan.mechanism = Mechanism::Landlock;
            plan.hidden.push(env);
        },
    );
    assert_eq!(ran.stdout, "open\n1\nalone\n", "{}", ran.stderr);
    let names: Vec<_> = place.picture().iter().map(|line| line.split(' ').next().unwrap().to_owned()).collect();
    assert_eq!(names, ["", ".env", "a"]);
    assert_eq!(place.read("a"), "open\n");
    assert_eq!(ran.code, 0);
}

#[test]
fn with_nothing_at_all_the_rest_still_ends() {
    let place = Place::new();
    let marker = format!("confine-bare-{}", std::process::id());
    let ran = place.run_with(&format!("(setsid env -i bash -c 'exec -a {marker} sleep 1000' &) ; exit 5"), |plan| {
        plan.mechanism = Mechanism::Bare;
    });
    assert_eq!(ran.code, 5);
    let found = fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        fs::read(entry.path().join("cmdline")).is_ok_and(|line| String::from_utf8_lossy(&line).contains(&marker))
    });
    assert!(!found);
}

#[test]
fn the_trial_says_what_works() {
    let status = std::process::Command::new(crate::place::launcher()).arg("--probe").status().unwrap();
    assert!(status.success(), "name spaces work where these tests run");
}
