//! What a confined run sees and reaches, a test a row of the table of holes.

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use aish_confine::{Caches, Network, Report};

use crate::place::{Place, command, is_root};

#[test]
fn the_tree_is_written_to_a_layer_and_all_else_is_read_only() {
    let place = Place::new();
    place.write("a", "old\n");
    fs::write(place.home.join("beside"), "old").unwrap();
    let ran =
        place.run("echo new >> a; cat a; echo x > ../beside; echo x > ../new; echo x > /etc/canary; mkdir /canary");
    assert_eq!(ran.stdout, "old\nnew\n");
    assert_eq!(ran.stderr.matches("Read-only file system").count(), 4, "{}", ran.stderr);
    assert_eq!(place.read("a"), "old\n");
    assert_eq!(fs::read_to_string(place.home.join("beside")).unwrap(), "old");
    assert_eq!(ran.report.code, Some(1));
}

#[test]
fn temporary_folders_are_private_and_empty() {
    let place = Place::new();
    let canary = tempfile::NamedTempFile::new_in("/tmp").unwrap();
    let ran = place
        .run("ls -A /tmp /run /dev/shm /var/tmp; echo $TMPDIR; echo x > /tmp/left; echo x > /dev/shm/left; ls /dev");
    assert!(ran.stdout.starts_with("/dev/shm:\n\n/run:\n\n/tmp:\n\n/var/tmp:\n/tmp\n"), "{}", ran.stdout);
    let devices = "fd full null ptmx pts random shm stderr stdin stdout tty urandom zero";
    assert!(ran.stdout.ends_with(&format!("{}\n", devices.replace(' ', "\n"))), "{}", ran.stdout);
    assert!(canary.path().exists());
    assert!(!fs::exists("/tmp/left").unwrap() && !fs::exists("/dev/shm/left").unwrap());
    assert!(ran.layer.changes(Caches::LeftOut).unwrap().is_empty());
}

#[test]
fn a_tree_below_a_temporary_folder_stays_visible() {
    let place = Place::below(std::path::Path::new("/tmp"));
    place.write("a", "old\n");
    let ran = place.run("cat a; echo new > a; ls -A /tmp | wc -l");
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("old\n1\n", ""));
    assert_eq!(ran.layer.changes(Caches::LeftOut).unwrap().changes.len(), 1);
}

#[test]
fn processes_outside_are_out_of_sight_and_the_kernel_cannot_be_tuned() {
    let place = Place::new();
    let ran = place.run(&format!(
        "kill -0 {} && echo seen; ls -d /proc/[0-9]* | wc -l; for f in /proc/sys/kernel/hostname /proc/sysrq-trigger \
         /proc/sys/vm/drop_caches /proc/sys/kernel/core_pattern; do echo 1 > $f; done",
        std::process::id()
    ));
    let count: u32 = ran.stdout.trim().parse().unwrap();
    assert!(count <= 5, "{}", ran.stdout);
    assert!(!ran.stdout.contains("seen"));
    let refused = ran.stderr.matches("Read-only").count() + ran.stderr.matches("Permission denied").count();
    let missing = ran.stderr.matches("No such file").count();
    assert_eq!(refused + missing, 4, "{}", ran.stderr);
}

#[test]
fn there_is_no_network_but_loopback_and_names_are_told() {
    let place = Place::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let ran = place.run(&format!(
        "echo leak > /dev/tcp/127.0.0.1/{port}; echo leak > /dev/udp/192.0.2.1/9; getent hosts registry.example.org; \
         exec 3<>/dev/tcp/127.0.0.1/53 || true; cat /proc/net/dev | wc -l"
    ));
    assert!(listener.accept().is_err(), "somebody came");
    assert!(ran.stderr.contains("Connection refused"), "{}", ran.stderr);
    assert!(ran.stderr.contains("unreachable"), "{}", ran.stderr);
    assert_eq!(ran.stdout.trim(), "3", "the loopback interface alone");
    assert!(ran.report.names.iter().any(|name| name.starts_with("registry.example.org")), "{:?}", ran.report);
    let works = place.run(
        "python3 -c 'import socket,threading\ns=socket.create_server((\"127.0.0.1\",0))\n\
         t=threading.Thread(target=lambda: s.accept()[0].send(b\"inside\"));t.start()\n\
         print(socket.create_connection(s.getsockname()).recv(9))'",
    );
    assert_eq!(works.stdout, "b'inside'\n", "{}", works.stderr);
    let open =
        place.run_with(&format!("echo hello > /dev/tcp/127.0.0.1/{port}"), |plan| plan.network = Network::Machine);
    assert_eq!(open.code, 0, "{}", open.stderr);
    let mut text = String::new();
    let (mut stream, _) = listener.accept().unwrap();
    stream.set_nonblocking(false).unwrap();
    stream.read_to_string(&mut text).unwrap();
    assert_eq!(text, "hello\n");
}

#[test]
fn sockets_that_go_while_a_command_starts_keep_it_from_nothing() {
    let place = Place::new();
    std::thread::scope(|scope| {
        let (done, is_done) = std::sync::mpsc::channel::<()>();
        let path = place.home.join("socket");
        scope.spawn(move || {
            while is_done.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
                let _listener = UnixListener::bind(&path).unwrap();
                fs::remove_file(&path).unwrap();
            }
        });
        for _ in 0..40 {
            let ran = place.run("echo ran");
            assert_eq!(ran.stdout, "ran\n", "{}", ran.stderr);
        }
        drop(done);
    });
}

#[test]
fn sockets_and_fifos_of_others_take_no_orders() {
    let place = Place::new();
    let at = |name: &str| place.home.join(name);
    let listener = UnixListener::bind(at("a b.sock")).unwrap();
    let datagram = UnixDatagram::bind(at("datagram.sock")).unwrap();
    let in_tree = UnixListener::bind(place.tree.join("tree.sock")).unwrap();
    listener.set_nonblocking(true).unwrap();
    in_tree.set_nonblocking(true).unwrap();
    datagram.set_nonblocking(true).unwrap();
    let mut fifos = Vec::new();
    for path in [at("fifo"), place.tree.join("fifo")] {
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RWXU).unwrap();
        let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NONBLOCK;
        fifos.push(fs::File::from(rustix::fs::open(&path, flags, rustix::fs::Mode::empty()).unwrap()));
    }
    let abstract_name = format!("confine-{}", std::process::id());
    let address =
        <std::os::unix::net::SocketAddr as std::os::linux::net::SocketAddrExt>::from_abstract_name(&abstract_name);
    let hidden = UnixListener::bind_addr(&address.unwrap()).unwrap();
    hidden.set_nonblocking(true).unwrap();
    for network in [Network::Loopback, Network::Machine] {
        let ran = place.run_with(
            &format!(
                "python3 - <<'E'\nimport socket,os\n\
                 for kind,path in ((1,'../a b.sock'),(2,'../datagram.sock'),(1,'tree.sock'),(1,'\\0{abstract_name}')):\n\
                 \x20s=socket.socket(socket.AF_UNIX,kind)\n\
                 \x20try: s.connect(path); s.send(b'order'); print('reached',repr(path))\n\
                 \x20except OSError as e: print('no')\n\
                 for path in ('../fifo','fifo'):\n\
                 \x20try: f=os.open(path,os.O_WRONLY|os.O_NONBLOCK); os.write(f,b'order'); print('reached',path)\n\
                 \x20except OSError as e: print('no')\nE"
            ),
            |plan| plan.network = network,
        );
        assert_eq!(ran.stdout, "no\n".repeat(6), "{network:?} {}", ran.stderr);
    }
    assert!(listener.accept().is_err() && in_tree.accept().is_err() && hidden.accept().is_err());
    assert!(datagram.recv(&mut [0; 8]).is_err());
    for mut fifo in fifos {
        assert_eq!(fifo.read(&mut [0; 8]).unwrap(), 0);
    }
}

#[test]
fn a_socket_in_a_folder_that_stays_visible_takes_no_orders() {
    let place = Place::below(std::path::Path::new("/tmp"));
    let folder = place.home.join("shown");
    fs::create_dir(&folder).unwrap();
    let listener = UnixListener::bind(folder.join("socket")).unwrap();
    listener.set_nonblocking(true).unwrap();
    let line = "ls; python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"socket\")'";
    let ran = place.run_with(line, |plan| plan.folder.clone_from(&folder));
    assert_eq!(ran.stdout, "socket\n", "{}", ran.stderr);
    assert!(ran.stderr.contains("Error"), "{}", ran.stderr);
    assert!(listener.accept().is_err(), "somebody came");
}

#[test]
fn sockets_with_relative_names_and_of_other_networks_take_no_orders() {
    let place = Place::new();
    let listen = "import socket,sys;s=socket.socket(1);s.bind(sys.argv[1]);s.listen();print('bound',flush=True);s.accept();print('reached')";
    let mut servers = Vec::new();
    for (name, words) in
        [("relative", vec![]), ("absolute", vec!["unshare", "-Urn"]), ("both", vec!["unshare", "-Urn"])]
    {
        let words: Vec<&str> = words.into_iter().chain(["python3", "-c", listen]).collect();
        let path = if name == "absolute" { place.home.join(name) } else { PathBuf::from(name) };
        let mut server = Command::new(words[0]);
        server.args(&words[1..]).arg(path).current_dir(&place.home).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut server = server.spawn().unwrap();
        let mut said = [0; 6];
        server.stdout.as_mut().unwrap().read_exact(&mut said).unwrap();
        servers.push(server);
    }
    let ran = place.run(
        "for name in relative absolute both; do \
         python3 -c 'import socket,sys;socket.socket(1).connect(sys.argv[1])' ../$name 2>/dev/null && echo reached $name; done; true",
    );
    for mut server in servers {
        let _ = server.kill();
        let _ = server.wait();
    }
    assert_eq!(ran.stdout, "", "{}", ran.stderr);
}

#[test]
fn a_secret_that_is_replaced_while_a_command_runs_is_covered_again() {
    let place = Place::new();
    let at = |name: &str| place.home.join(name);
    fs::create_dir_all(at(".aws")).unwrap();
    fs::write(at(".netrc"), "hush").unwrap();
    fs::write(at(".aws/credentials"), "hush").unwrap();
    let (layer, plan) = place.plan("echo ready; read -r go; sleep 1; cat ../.netrc ../.aws/credentials; echo end");
    let mut child = command(&plan).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut said = [0; 6];
    child.stdout.as_mut().unwrap().read_exact(&mut said).unwrap();
    // As programs replace a file whole, and a person a folder.
    fs::write(at("new"), "hush").unwrap();
    fs::rename(at("new"), at(".netrc")).unwrap();
    fs::rename(at(".aws"), at(".gone")).unwrap();
    fs::remove_dir_all(at(".gone")).unwrap();
    fs::create_dir(at(".aws")).unwrap();
    fs::write(at(".aws/credentials"), "hush").unwrap();
    child.stdin.take().unwrap().write_all(b"go\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "end\n");
    layer.discard().unwrap();
}

#[test]
fn an_inherited_descriptor_is_closed() {
    let place = Place::new();
    let folder = fs::File::open(&place.home).unwrap();
    rustix::io::fcntl_setfd(&folder, rustix::io::FdFlags::empty()).unwrap();
    let (layer, plan) = place.plan(&format!("echo x > /proc/self/fd/{0}/leak; ls /proc/self/fd", folder.as_raw_fd()));
    let output = command(&plan).output().unwrap();
    assert!(!place.home.join("leak").exists());
    assert_eq!(String::from_utf8_lossy(&output.stdout), "0\n1\n2\n3\n", "the third is the folder that ls reads");
    layer.discard().unwrap();
}

#[test]
fn secrets_of_the_home_and_of_the_environment_are_gone() {
    let place = Place::new();
    for (path, content) in [
        (".ssh/id", "hush"),
        (".ssh/id.pub", "open"),
        (".aws/credentials", "hush"),
        (".netrc", "hush"),
        (".config/x", "open"),
    ] {
        let path = place.home.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    place.write(".env", "hush");
    let (_, mut plan) = place.plan("cd ..; cat .ssh/* .aws/* .netrc .config/x tree/.env; ls .aws state; env");
    plan.hidden.push(place.tree.join(".env"));
    let variables = [("API_KEY", "hush"), ("SSH_AUTH_SOCK", "hush"), ("LANG", "C")].map(|(n, v)| (n.into(), v.into()));
    let output = command(&plan).envs(aish_confine::clean(variables, &[], &[])).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(!said.contains("hush"), "{said}");
    assert!(said.starts_with("openopen.aws:\n\nstate:\n"), "{said}");
    assert!(said.contains("LANG=C"));
}

#[test]
fn a_locked_file_is_there_and_cannot_be_opened() {
    let place = Place::new();
    place.write(".env", "hush");
    place.write("deep/.env.local", "hush");
    let before = place.picture();
    let locked = [place.tree.join(".env"), place.tree.join("deep/.env.local")];
    for mechanism in [aish_confine::Mechanism::Namespaces, aish_confine::Mechanism::Landlock] {
        let ran = place.run_with(
            "cat .env deep/.env.local; chmod 777 .env; ls -A | sort; echo x > .env; rm -f .env; cp -a . /tmp/c; cat /tmp/c/.env",
            |plan| {
                plan.mechanism = mechanism;
                plan.locked.extend(locked.iter().cloned());
            },
        );
        assert_eq!(ran.stdout, ".env\ndeep\n", "{mechanism:?}");
        assert!(ran.stderr.contains("cat: .env: Permission denied"), "{}", ran.stderr);
        assert!(ran.layer.changes(Caches::LeftOut).unwrap().is_empty());
        assert_eq!(place.picture(), before);
    }
}

#[test]
fn another_name_of_a_secret_shows_nothing_either() {
    let place = Place::new();
    fs::write(place.home.join("real"), "hush").unwrap();
    std::os::unix::fs::symlink("real", place.home.join(".netrc")).unwrap();
    let ran = place.run("cat ../.netrc ../real /proc/1/root/etc/passwd /proc/1/environ; ls -l /proc/1/fd /proc/1/cwd");
    assert!(
        !ran.stdout.contains("hush") && !ran.stdout.contains("root:") && !ran.stdout.contains("->"),
        "{}",
        ran.stdout
    );
}

#[test]
fn nothing_that_is_started_outlives_the_run() {
    let place = Place::new();
    let marker = format!("confine-left-{}", std::process::id());
    let ran = place.run(&format!(
        "(setsid env -i bash -c 'exec -a {marker} sleep 1000' &) ; trap '' TERM; nohup setsid -f sleep 1000 >/dev/null 2>&1; \
         exit 7"
    ));
    assert_eq!(ran.code, 7);
    assert!(!processes().contains(&marker));
}

#[test]
fn the_run_ends_with_its_launcher() {
    let place = Place::new();
    let marker = format!("confine-orphan-{}", std::process::id());
    let (_, plan) = place.plan(&format!("echo ready; exec -a {marker} sleep 1000"));
    let mut child = command(&plan).stdout(Stdio::piped()).spawn().unwrap();
    let mut said = [0; 6];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut said).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    // The pipe's other end is closed when the last process inside is gone.
    assert_eq!(stdout.read_to_string(&mut String::new()).unwrap(), 0);
    assert!(!processes().contains(&marker));
}

fn processes() -> String {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter_map(|entry| fs::read(entry.path().join("cmdline")).ok())
        .map(|c| String::from_utf8_lossy(&c).into_owned())
        .collect()
}

#[test]
fn capabilities_and_new_privileges_are_gone() {
    let place = Place::new();
    let ran = place.run("grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status; unshare -r true; unshare -n true");
    for line in [
        "CapPrm:\t0000000000000000",
        "CapEff:\t0000000000000000",
        "CapBnd:\t0000000000000000",
        "NoNewPrivs:\t1",
        "Seccomp:\t2",
    ] {
        assert!(ran.stdout.contains(line), "{}", ran.stdout);
    }
    assert_eq!(ran.stderr.matches("unshare failed: Operation not permitted").count(), 2, "{}", ran.stderr);
}

#[test]
fn refused_system_calls_answer_as_they_should() {
    let place = Place::new();
    let calls = [
        ("io_uring_setup", 425, 38),
        ("userfaultfd", 323, 38),
        ("clone3", 435, 38),
        ("keyctl", 250, 1),
        ("ptrace", 101, 1),
        ("mount", 165, 1),
        ("fsopen", 430, 1),
        ("open_tree_attr", 467, 1),
        ("the next after those that are known", 470, 38),
        ("bpf", 321, 1),
        ("x32 getpid", 0x4000_0027, 38),
    ];
    let table: Vec<String> = calls.iter().map(|(name, number, _)| format!("('{name}',{number})")).collect();
    let ran = place.run(&format!(
        "python3 - <<'E'\nimport ctypes,fcntl\nl=ctypes.CDLL(None,use_errno=True)\n\
         for name,n in [{}]:\n r=l.syscall(ctypes.c_long(n),0,0,0,0,0,0); print(name,ctypes.get_errno() if r==-1 else 'went through')\n\
         for r in (0x5412,0x541c):\n\
         \x20try: fcntl.ioctl(0,r,b'x'); print('typed')\n\
         \x20except OSError as e: print(e.errno)\n\
         try: fcntl.fcntl(fcntl.fcntl(0,1030,3),1024,0); print('leased')\n\
         except OSError as e: print(e.errno)\nE",
        table.join(",")
    ));
    let mut expected: String = calls.iter().map(|(name, _, errno)| format!("{name} {errno}\n")).collect();
    expected.push_str("1\n1\n1\n");
    assert_eq!(ran.stdout, expected, "{}", ran.stderr);
}

#[test]
fn sockets_that_no_name_space_holds_are_refused() {
    let place = Place::new();
    let ran = place.run(
        "python3 - <<'E'\nimport socket\n\
         for family in (1,2,10,16,31,38,39,40):\n\
         \x20for kind in (2,5):\n\
         \x20 try: socket.socket(family,kind); print(family,'ok'); break\n\
         \x20 except OSError as e: error=e.errno\n\
         \x20else: print(family,error)\nE",
    );
    let expected: String = [(1, "ok"), (2, "ok"), (10, "ok"), (16, "ok"), (31, "1"), (38, "1"), (39, "1"), (40, "1")]
        .iter()
        .map(|(family, answer)| format!("{family} {answer}\n"))
        .collect();
    assert_eq!(ran.stdout, expected, "{}", ran.stderr);
}

#[test]
fn the_memory_of_a_crashed_command_is_given_to_no_program_outside() {
    use rustix::process::{Resource, getrlimit};
    let place = Place::new();
    let ran = place.run(
        "ulimit -c 0; python3 -c 'import resource as r; r.setrlimit(r.RLIMIT_CORE,(0,0)); print(r.getrlimit(r.RLIMIT_CORE))'",
    );
    // One byte, unless there was no right to any before.
    let most = getrlimit(Resource::Core).maximum.map_or(1, |most| most.min(1));
    assert_eq!(ran.stdout, format!("({most}, {most})\n"), "{}", ran.stderr);
}

#[test]
fn devices_are_written_to_and_never_changed() {
    let place = Place::new();
    let ran = place.run(
        "echo x > /dev/null && head -c 1 /dev/zero | wc -c; \
         for change in 'chmod 666 /dev/null' 'touch /dev/zero' 'python3 -c \"import os;os.fchmod(0,0o666)\"'; do\n\
         sh -c \"$change\" 2>/dev/null && echo \"$change\"; done; true",
    );
    assert_eq!((ran.stdout.as_str(), ran.code), ("1\n", 0), "{}", ran.stderr);
}

#[test]
fn a_mount_inside_the_tree_is_told() {
    if !is_root() {
        return;
    }
    let place = Place::new();
    let inner = place.tree.join("a b");
    fs::create_dir(&inner).unwrap();
    let status = std::process::Command::new("mount").args(["-t", "tmpfs", "none"]).arg(&inner).status().unwrap();
    assert!(status.success());
    fs::write(inner.join("file"), "inside\n").unwrap();
    let ran = place.run("cat 'a b/file'; echo x > 'a b/file'; echo y > beside");
    assert!(std::process::Command::new("umount").arg(&inner).status().unwrap().success());
    let why = format!(
        "{} is another mount, and no layer can be made over a tree with mounts in it; unmount it, or work in a folder \
                       beside it",
        inner.display()
    );
    assert_eq!(ran.report.failed, Some(why));
    assert_eq!(fs::read_dir(&place.tree).unwrap().count(), 1, "nothing ran");
}

#[test]
fn odd_paths_are_nothing_special() {
    for name in ["a:b", "a\\b", "a,b", "a b\n", "--root", "ä\u{202e}"] {
        let place = Place::new();
        let tree = place.tree.join(name);
        fs::create_dir(&tree).unwrap();
        let layer = aish_confine::Layer::create(&place.layers, "x", None, &[(tree.clone(), false)]).unwrap();
        let words = ["bash", "-c", "echo x > new; pwd"].map(Into::into).into();
        let mut plan = aish_confine::Plan::new(aish_confine::Mechanism::Namespaces, &tree, words);
        plan.roots = layer.roots();
        plan.report = Some(layer.report_path());
        let output = command(&plan).output().unwrap();
        assert!(output.status.success(), "{name:?} {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{}\n", tree.display()));
        assert_eq!(layer.changes(Caches::LeftOut).unwrap().changes.len(), 1);
        assert_eq!(Report::read(&layer.report_path()).unwrap().code, Some(0));
    }
}
