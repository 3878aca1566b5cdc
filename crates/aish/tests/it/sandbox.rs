//! What a program in the sandbox of autonomous runs can do and cannot where no layers work, tried by real programs.

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, Output};

use aish_process::sandbox::works;

struct Place {
    folder: tempfile::TempDir,
}

/// Runs a check (not of modes, over which Landlock has no say) where the sandbox works; else it is skipped with a line.
fn each(test: &str, check: impl Fn(&Place)) {
    match works() {
        Ok(()) => {
            // Not below the temporary folder, which may be written by default.
            let folder =
                tempfile::Builder::new().prefix("aish-sandbox-").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
            for name in ["project", "outside", "temp", "project/.state"] {
                fs::create_dir(folder.path().join(name)).unwrap();
            }
            fs::write(folder.path().join("outside/file"), "outside").unwrap();
            fs::write(folder.path().join("project/.state/audit"), "ours").unwrap();
            check(&Place { folder });
        }
        Err(error) => aish_testkit::skip(test, &error.to_string()),
    }
}

impl Place {
    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, extra: &[&str], script: &str) -> Output {
        Command::new(env!("CARGO_BIN_EXE_aish"))
            .args(["__sandbox", "--write"])
            .arg(self.at("project"))
            .arg("--write")
            .arg(self.at("temp"))
            .args(extra)
            .args(["--", "bash", "--norc", "-c", script])
            .current_dir(self.at("project"))
            .env("TMPDIR", self.at("temp"))
            .output()
            .unwrap()
    }

    #[track_caller]
    fn succeeds(&self, extra: &[&str], script: &str) {
        let ran = self.run(extra, script);
        assert!(ran.status.success(), "{script}: {}", String::from_utf8_lossy(&ran.stderr));
    }

    #[track_caller]
    fn fails(&self, extra: &[&str], script: &str) {
        let ran = self.run(extra, script);
        assert!(!ran.status.success(), "{script} worked");
    }
}

#[test]
fn project_and_temp_are_written_and_everything_is_read() {
    each("sandbox writes", |place| {
        place.succeeds(
            &[],
            "echo x > file && mkdir -p a/b && mv file a/b/ && rm -r a && echo y > \"$TMPDIR/y\" && cat ../outside/file",
        );
        place.succeeds(&[], "echo x > /dev/null && head -c 4 /dev/urandom > bytes && (echo deep | tee kept | cat)");
        assert_eq!(fs::read_to_string(place.at("project/kept")).unwrap(), "deep\n");
    });
}

#[test]
fn nothing_is_written_outside_by_no_way() {
    each("sandbox outside", |place| {
        for script in [
            "echo x > ../outside/new",
            "echo x > ../outside/file",
            ": > ../outside/file",
            "rm ../outside/file",
            "mv ../outside/file .",
            "ln ../outside/file link && echo x > link",
            "ln -s ../outside/file soft && echo x > soft",
            "mkdir ../outside/sub",
            "truncate -s 0 ../outside/file",
            "bash -c 'bash -c \"echo x > ../outside/new\"'",
            "setsid bash -c 'echo x > ../outside/new'",
            "(echo x > ../outside/new) & wait $!",
        ] {
            place.fails(&[], script);
            assert_eq!(fs::read_to_string(place.at("outside/file")).unwrap(), "outside", "{script}");
            assert_eq!(fs::read_dir(place.at("outside")).unwrap().count(), 1, "{script}");
        }
    });
}

#[test]
fn our_own_files_are_not_written_though_they_lie_in_the_project() {
    each("sandbox protected", |place| {
        for script in ["echo x > .state/audit", "rm -r .state", "echo x > .state/new", "mv .state other"] {
            let state = place.at("project/.state").display().to_string();
            place.fails(&["--protect", &state], script);
            assert_eq!(fs::read_to_string(place.at("project/.state/audit")).unwrap(), "ours", "{script}");
        }
    });
}

#[test]
fn the_network_is_off_until_it_is_allowed() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let connect = format!("exec 3<>/dev/tcp/127.0.0.1/{port}");
    each("sandbox network", |place| {
        place.fails(&[], &connect);
        place.fails(&[], &format!("bash -c '{connect}'"));
        // An address that leads nowhere: with a network this sends, and nobody answers.
        place.fails(&[], "echo x > /dev/udp/192.0.2.1/53533");
        place.succeeds(&["--network"], &connect);
    });
}

#[test]
fn other_processes_are_out_of_reach() {
    let mut other = Command::new("sleep").arg("600").spawn().unwrap();
    let kill = format!("kill -9 {}", other.id());
    each("sandbox signals", |place| place.fails(&[], &kill));
    assert!(other.try_wait().unwrap().is_none(), "it still runs");
    other.kill().unwrap();
    other.wait().unwrap();
}

#[test]
fn a_program_that_is_missing_and_an_option_that_is_unknown_are_errors() {
    each("sandbox missing", |_| {
        let ran =
            Command::new(env!("CARGO_BIN_EXE_aish")).args(["__sandbox", "--", "/no/such/program"]).output().unwrap();
        assert!(!ran.status.success());
    });
    let ran = Command::new(env!("CARGO_BIN_EXE_aish")).args(["__sandbox", "--wish", "--", "true"]).output().unwrap();
    assert_eq!(ran.status.code(), Some(2));
}

/// The live shell stands in the sandbox with all that it needs: its FIFOs, job control, Ctrl-C.
#[test]
fn a_live_shell_runs_in_it() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    each("sandbox shell", |place| {
        runtime.block_on(async {
            let mut options = aish_shell::Options::headless();
            let words = ["__sandbox", "--write"];
            options.program = vec![env!("CARGO_BIN_EXE_aish").into()];
            options.program.extend(words.map(std::ffi::OsString::from));
            options.program.extend([place.at("project").into(), "--".into(), "bash".into()]);
            options.cwd = Some(place.at("project"));
            let shell = aish_shell::Shell::start(options);
            let run = async |command: &str| {
                let surroundings = aish_shell::Surroundings::default();
                shell.run(command, surroundings).await.unwrap_or_else(|error| panic!("{error}"))
            };
            let kept = run("x=5; mkdir sub && cd sub && echo in > file").await;
            assert_eq!((kept.status, kept.cwd), (0, place.at("project/sub")));
            let shown = run("echo x is $x; cat file | tr a-z A-Z").await;
            assert_eq!(shown.output.clean_text().trim(), "x is 5\nIN");
            assert_ne!(run("echo x > ../../outside/new").await.status, 0);
            assert!(!place.at("outside/new").exists());
            let hung = aish_shell::Surroundings {
                timeout: Some(std::time::Duration::from_millis(500)),
                ..aish_shell::Surroundings::default()
            };
            let stopped = shell.run("sleep 600", hung).await.unwrap();
            assert_eq!(stopped.ending, aish_shell::Ending::TimedOut);
            let after = run("echo still x is $x").await;
            assert_eq!(after.output.clean_text().trim(), "still x is 5", "the same shell");
            shell.stop().await;
        });
    });
}
