//! What works where something is missing: filters take it away as containers and older kernels do.

use aish_confine::{Available, Mechanism};

use crate::place::{Place, launcher};

fn probe(without: &str) -> Available {
    let mut trial = std::process::Command::new(launcher());
    if !without.is_empty() {
        trial.args(["--without", without]);
    }
    let output = trial.arg("--probe").output().unwrap();
    Available::from_lines(&String::from_utf8(output.stdout).unwrap()).unwrap()
}

#[test]
fn the_trial_says_what_works_why_no_more_and_what_to_do() {
    for (without, mechanism, why) in [
        ("", Mechanism::Namespaces, &[][..]),
        ("landlock", Mechanism::Namespaces, &[]),
        ("user-name-spaces", Mechanism::Landlock, &["user name spaces are not allowed"]),
        ("mounts", Mechanism::Landlock, &["mounts of its own are not allowed"]),
        ("overlay", Mechanism::Landlock, &["overlayfs is not allowed in user name spaces"]),
        ("overlay,landlock", Mechanism::Bare, &["overlayfs is not allowed", "no Landlock"]),
        ("user-name-spaces,landlock", Mechanism::Bare, &["user name spaces are not allowed", "no Landlock"]),
    ] {
        let found = probe(without);
        assert_eq!(found.mechanism, mechanism, "{without}: {found:?}");
        assert_eq!(found.missing.len(), why.len(), "{without}: {found:?}");
        for (missing, why) in found.missing.iter().zip(why) {
            assert!(missing.why.contains(why), "{without}: {missing:?}");
            assert!(!missing.remedy.is_empty(), "{without}: {missing:?}");
        }
    }
}

#[test]
fn a_run_that_cannot_be_held_does_not_run() {
    let place = Place::new();
    place.write("a", "old\n");
    let before = place.picture();
    for (without, mechanism) in [
        ("user-name-spaces", Mechanism::Namespaces),
        ("overlay", Mechanism::Namespaces),
        ("mounts", Mechanism::Namespaces),
        ("landlock", Mechanism::Landlock),
    ] {
        let (layer, mut plan) = place.plan("echo new > a; echo ran");
        plan.mechanism = mechanism;
        let mut run = std::process::Command::new(launcher());
        let output = run.args(["--without", without]).args(plan.to_arguments()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(125), "{without}: {said}");
        assert!(said.starts_with("aish: "), "{without}: {said}");
        assert!(output.stdout.is_empty());
        assert_eq!(place.picture(), before, "{without}");
        layer.discard().unwrap();
    }
}

#[test]
fn without_landlock_name_spaces_hold_alone() {
    let place = Place::new();
    let (layer, plan) = place.plan("echo new > a; cat a; echo x > ../beside");
    let mut run = std::process::Command::new(launcher());
    let output = run.args(["--without", "landlock"]).args(plan.to_arguments()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "new\n", "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!place.home.join("beside").exists());
    layer.discard().unwrap();
}
