//! Several processes at one layer: one of them has it, and the others wait, say so, or leave it alone.

use std::process::{Child, Command, Stdio};

use aish_confine::{Caches, KeepError, Layer, OnConflict, State};

use crate::place::Place;

/// Set for the processes that are started, to what they do and the folder of the layer.
const TASK: (&str, &str) = ("CONFINE_TASK", "CONFINE_LAYER");

/// Not a test of its own: run again by the tests below as other processes.
#[test]
fn do_what_is_said() {
    let (Some(task), Some(folder)) = (std::env::var_os(TASK.0), std::env::var_os(TASK.1)) else { return };
    let layer = Layer::open(folder).unwrap();
    let words = match task.to_str().unwrap() {
        "keep" => said(layer.keep(Caches::LeftOut, OnConflict::Stop)),
        "undo" => said(layer.take_back(OnConflict::Stop)),
        "start" => {
            // As each start of a program does.
            for _ in 0..40 {
                if matches!(layer.state(), Ok(State::Keeping | State::TakingBack)) {
                    match layer.recover() {
                        Ok(recovered) => assert!(!recovered.was_cut, "{recovered:?}"),
                        Err(KeepError::Busy) => {}
                        Err(error) => panic!("{error:?}"),
                    }
                }
            }
            "started".to_owned()
        }
        other => panic!("{other}"),
    };
    println!("\nsaid {words}");
}

fn said<T>(done: Result<T, KeepError>) -> String {
    match done {
        Ok(_) => "done".to_owned(),
        Err(KeepError::State(state)) => state.as_str().to_owned(),
        Err(error) => panic!("{error:?}"),
    }
}

fn start(task: &str, place: &Place, layer: &Layer) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["do_what_is_said", "--nocapture", "--test-threads", "1"])
        .env(TASK.0, task)
        .env(TASK.1, place.layers.join(layer.id()))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn end(child: Child) -> String {
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text.lines().find_map(|line| line.strip_prefix("said ")).unwrap().to_owned()
}

#[test]
fn undos_and_starts_at_once_undo_once_and_whole() {
    let elsewhere = tempfile::tempdir_in("/dev/shm").unwrap();
    for round in 0..24 {
        let mut place = Place::new();
        if round % 2 == 1 {
            place.layers = elsewhere.path().to_owned();
        }
        for number in 0..150 {
            place.write(&format!("d{}/f{number}", number % 7), "old");
        }
        let before = place.picture();
        let ran = place.run("for f in d*/f*; do echo new > $f; done; rm d0/*7; mkdir n; cp d3/* n; mv d4/f4 d4/g");
        let tasks = ["keep", "start", "keep", "start"];
        let kept: Vec<_> = tasks.map(|task| start(task, &place, &ran.layer)).into_iter().map(end).collect();
        assert_eq!(kept.iter().filter(|said| *said == "done").count(), 1, "{kept:?}");
        assert_eq!(kept.iter().filter(|said| *said == "kept").count(), 1, "{kept:?}");
        let tasks = ["undo", "start", "undo", "start", "start"];
        let undone: Vec<_> = tasks.map(|task| start(task, &place, &ran.layer)).into_iter().map(end).collect();
        assert_eq!(undone.iter().filter(|said| *said == "done").count(), 1, "{undone:?}");
        assert_eq!(undone.iter().filter(|said| *said == "taken-back").count(), 1, "{undone:?}");
        assert_eq!(place.picture(), before, "round {round}");
        ran.layer.discard().unwrap();
    }
}
