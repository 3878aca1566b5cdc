//! What halts by itself halts in every wrapping: each of some commands, in each of many ways to run it.

use aish_safety::{Surroundings, Verdict};

use crate::analysed::judge_command;

/// Commands of several families, without quotes and pipes.
const COMMANDS: &[&str] = &[
    "rm -rf /srv/data",
    "mkfs.ext4 /dev/sdb1",
    "git push --force origin main",
    "kubectl delete ns prod",
    "terraform destroy -auto-approve",
    "docker volume rm pgdata",
    "aws s3 rm s3://b --recursive",
    "chmod -R 777 /etc",
    "shutdown -h now",
    "redis-cli FLUSHALL",
    "npm unpublish x --force",
    "zpool destroy tank",
];

/// Ways to run a command: `{}` stands for it, `{q}` for it in quotes, `{b}` for its base64 form.
const WAYS: &str = include_str!("combinations.txt");

fn base64(text: &str) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let bits = chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for at in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * at)) as usize & 63] as char;
            out.push(if at <= chunk.len() { letter } else { '=' });
        }
    }
    out
}

#[test]
fn every_way_to_run_a_command_keeps_the_halt() {
    let around = Surroundings { home: Some("/home/ana".into()), ..Surroundings::default() };
    let mut wrong = Vec::new();
    for way in WAYS.lines().filter(|line| !line.is_empty()) {
        for command in COMMANDS {
            let line = way
                .replace("\\n", "\n")
                .replace("{q}", &format!("'{command}'"))
                .replace("{b}", &base64(command))
                .replace("{}", command);
            let judgement = judge_command(&line, &around);
            if judgement.verdict != Verdict::Halt {
                wrong.push(format!("{} ({}): {line}", judgement.verdict, judgement.rule));
            }
        }
    }
    assert!(WAYS.lines().count() > 240, "{} ways", WAYS.lines().count());
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}
