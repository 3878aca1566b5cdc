"""Builds a workspace of three crates over and over by `aish try --keep`: `python3 scripts/measure/builds.py [AISH [SEQUENCES]]`.

Between builds sources are edited, broken and mended at random (the same in every run), some builds run open, and all of them
write what cargo and rustc write: files with several names above all. Prints each run after which nothing was kept, and how
many there were. Ends with 1 where there was one.
"""

import os
import random
import subprocess
import sys
import tempfile

AISH = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "target/release/aish")
SEQUENCES = int(sys.argv[2]) if len(sys.argv) > 2 else 8
RUNS = 40
COMMANDS = [
    "cargo build --offline -q",
    "cargo test --offline -q",
    "cargo check --offline -q",
    "cargo clippy --offline -q",
    "cargo test --offline -q -p b",
    "cargo build --offline -q --release",
    "cargo run --offline -q",
    "cargo doc --offline -q --no-deps",
    "cargo clean -q -p a",
    "cargo test --offline -q --no-run; cargo build --offline -q",
]
SOURCES = {
    "a/src/lib.rs": "pub fn one() -> u32 { 1 }\n",
    "b/src/lib.rs": "pub fn two() -> u32 { a::one() + 1 }\n",
    "c/src/main.rs": 'fn main() { println!("{}", b::two()); }\n',
}
BROKEN = ["\nfn broken( {\n", '\nfn broken() -> u32 { "" }\n']


def write(path, text, mode="w"):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, mode, encoding="utf-8") as file:
        file.write(text)


def make():
    write("Cargo.toml", '[workspace]\nmembers = ["a", "b", "c"]\nresolver = "2"\n')
    for name, below in [("a", ""), ("b", 'a = { path = "../a" }\n'), ("c", 'b = { path = "../b" }\n')]:
        package = f'[package]\nname = "{name}"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\n{below}'
        write(f"{name}/Cargo.toml", package)
    for path, text in SOURCES.items():
        write(path, text)
    write(".gitignore", "target\n")
    subprocess.run(["git", "init", "-q", "."], check=True)


def edit(choice, number):
    path = choice.choice(list(SOURCES))
    if choice.random() < 0.8:
        name = f"f{number}_{choice.randrange(10_000)}"
        body = f"#[test] fn {name}() {{ assert!(true); }}" if choice.random() < 0.5 else f"pub fn {name}() -> u32 {{ {number} }}"
        write(path, f"\n#[allow(dead_code)]\n{body}\n", "a")
    return path


def main():
    dropped = total = 0
    for seed in range(SEQUENCES):
        choice = random.Random(seed)
        # Not below /tmp, which is another one inside.
        with tempfile.TemporaryDirectory(dir=os.environ.get("CONFINE_FOLDER", os.path.expanduser("~"))) as base:
            os.makedirs(os.path.join(base, "tree"))
            os.chdir(os.path.join(base, "tree"))
            make()
            env = {**os.environ, "XDG_STATE_HOME": os.path.join(base, "state")}
            for number in range(RUNS):
                path, command = edit(choice, number), choice.choice(COMMANDS)
                with open(path, encoding="utf-8") as file:
                    whole = file.read()
                if choice.random() < 0.15:
                    write(path, choice.choice(BROKEN), "a")
                words = [AISH, "try", "--json", "--keep", "--", "bash", "-c", command]
                done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
                total += 1
                # A build that fails ends with its own code, and is kept all the same.
                if "nothing was kept" in done.stderr or done.returncode == 3:
                    dropped += 1
                    print(f"sequence {seed}, run {number}: {command}\n{done.stderr[-600:]}")
                write(path, whole)
                if choice.random() < 0.3:
                    subprocess.run(["cargo", "build", "--offline", "-q"], env=env, capture_output=True, check=True)
            os.chdir("/")
    print(f"{total} runs, {dropped} after which nothing was kept")
    sys.exit(1 if dropped else 0)


main()
