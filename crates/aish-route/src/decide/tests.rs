//! Lines and where they go.

use alloc::string::ToString;
use alloc::vec::Vec;

use super::*;
use crate::environment::Names;

fn names() -> Names {
    let commands = "ls cat grep find who make test kill sort cut which time at head tail git tar ssh vim date file less more top watch wc \
                    diff join split touch mkdir rm cp mv echo printf sudo ps df du free id man python3 sed awk xargs tee tr uniq install link \
                    mount host last w tree stat seq sleep true false yes env nohup timeout bash sh perl curl dd ln chmod chown pr fold nice factor expand";
    Names {
        commands: commands.split_whitespace().map(ToString::to_string).collect(),
        files: ["src", "Cargo.toml", "README.md", "notes.txt"].into_iter().map(ToString::to_string).collect(),
    }
}

fn check(expected: Route, lines: &str) {
    let env = names();
    let wrong: Vec<String> = lines
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(|line| (line, decide(line, &env)))
        .filter(|(_, decision)| decision.route != expected)
        .map(|(line, decision)| format!("{line}  ->  {}: {}", decision.route.as_str(), decision.reason))
        .collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn commands_are_commands() {
    check(
        Route::Shell,
        "ls
         ls -la
         ls ?
         ls -l ?
         cat file?
         grep x ?
         grep -n main src?
         rg TODO ?? x?
         rm ?.o
         time for i in 1 2; do echo $i; done
         ( umask 77 && mkdir -p \"` echo $HOME/.ansible/tmp `\" ) && sleep 0
         (! true) | cat
         coproc cat
         find . -size +10M
         find . -name '*.rs' -type f
         who -b
         make test
         make
         at now
         at 5pm tomorrow
         at now + 5 minutes
         at -f job.sh 17:30
         which vim less nano; vi /tmp/x.txt
         test -f x
         kill 8080
         kill -9 1234
         exit
         exit 1
         gti status
         git status
         git commit -m 'fix the bug in the parser'
         cd ..
         cd..
         cd /tmp && ls
         A=1
         A=1 B=2 env
         export PATH=$PATH:/usr/local/bin
         echo the quick brown fox jumps over the lazy dog
         for i in 1 2 3; do echo $i; done
         for f in *.txt
         if [ -f x ]; then echo yes; fi
         while true; do date; sleep 1; done
         docker ps
         docker compose up -d
         kubectl get pods -A
         sudo apt install nginx
         cat README.md | grep aish | wc -l
         ./run ask
         ~/bin/tool
         /usr/bin/env python3
         cat notes.txt
         vim src/main.rs
         ssh user@host
         htop
         which ls
         man ls
         sort notes.txt
         grep -r TODO src
         echo \"what is this?\"
         (cd /tmp; ls)
         foo() { echo bar; }
         foobar --version
         $EDITOR file
         npm run build
         time make
         pyhton script.py
         ps aux | sort -k4 -r | head
         tar czf backup.tgz src
         awk '{print $1}' notes.txt
         ",
    );
}

#[test]
fn questions_are_questions() {
    check(
        Route::Ai,
        "find all files larger than 10 MB
         who is root?
         make me a coffee
         test if the port is open
         at what time does the server restart
         at night the build is slow
         kill the process on 8080
         what is the capital of France?
         how do I undo the last commit
         git how do i undo a commit
         ls is not working, why?
         show me the biggest files
         list all running containers
         sort these numbers: 3 1 2
         which package provides ifconfig
         which process uses port 80?
         cat is a funny animal
         date of the next solar eclipse
         time flies when you're having fun
         explain ls -la
         why does grep -r not find my file
         what's my ip
         don't delete anything
         if the server is down, restart it
         for each file in this folder show the size
         while you are at it, check the disk
         hello
         thanks
         2+2
         cut the last column from the csv
         find duplicates in this folder
         sudo make me a sandwich
         wie spät ist es
         quelle heure est-il
         ¿qué hora es?
         什么是目录
         今日の天気は
         find alle Dateien die größer als 10 MB sind
         kill den Prozess auf Port 8080
         head of state of France
         top 10 largest files
         more info about the kernel
         install nginx on this machine
         watch for changes in the src folder and tell me",
    );
}

#[test]
fn programs_are_named_by_paths_too() {
    check(
        Route::Shell,
        "./run.sh all the tests
         scripts/deploy.sh staging
         target/debug/aish ask hi
         .venv/bin/python -m pytest
         bin/rails server
         (sleep 10; echo hi) &
         2>&1 make | tee log
         &>log make
         gut commit -m 'x'
         cat/etc/hosts
         {",
    );
    check(
        Route::Ai,
        "./run.sh fails with permission denied
         /etc/fstab has a wrong entry, fix it
         src/main.rs does not compile
         and/or what
         client/server architecture
         read/write speed of this disk
         2>1 is that true",
    );
}

#[test]
fn what_does_nothing_by_itself_is_asked() {
    check(Route::Ask, "continue\nmore");
}

#[test]
fn titles_behind_a_command_are_questions() {
    check(
        Route::Ai,
        "git bisect tutorial
         git rebase vs merge
         git merge conflict help
         chmod 755 meaning
         rm -rf / what happens
         nice work!
         grep or ripgrep?
         grep multiline pattern?
         grep a word?
         last question
         docker volumes explained
         vim cheat sheet
         tar command examples
         ssh Verbindung bricht dauernd täglich ab",
    );
}

#[test]
fn plain_words_that_may_be_operands_or_a_title_are_asked() {
    check(
        Route::Ask,
        "bash arrays
         vim macros
         docker run flags
         git submodules",
    );
}

#[test]
fn any_word_may_be_the_name_of_a_file() {
    check(
        Route::Shell,
        "cat in
         touch a b
         sort words
         mkdir new
         cp a b c d dest
         make -j4 docs test
         got status",
    );
}

#[test]
fn a_slip_is_put_right_where_the_command_is_there() {
    let env = names();
    for (line, meant) in [
        ("gti status", Some("git status")),
        ("  grpe -r 'a b'  src", Some("grep -r 'a b'  src")),
        ("ls-la src", Some("ls -la src")),
        ("sl", Some("ls")),
        ("got status", Some("git status")),
        ("git status", None),
        ("dokcer ps", None),
        ("frobnicate", None),
        ("", None),
    ] {
        assert_eq!(corrected(line, &env).as_deref(), meant, "{line}");
    }
}

#[test]
fn a_flag_makes_no_command_of_a_sentence_that_removes() {
    check(
        Route::Ask,
        "rm -rf build and rebuild
         rm -r build or dist",
    );
    check(
        Route::Shell,
        "rm -rf build dist
         rm -r src
         rm -rf node_modules package-lock.json
         rm -f *.o core
         ls -la src and README.md",
    );
}
