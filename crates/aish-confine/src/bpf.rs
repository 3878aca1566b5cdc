//! Filters on system calls as programs that search: the kernel runs a filter for every number of a call when it is set,
//! and for each call whose arguments matter, so that a chain of comparisons costs a third of a millisecond a process.

use libc::c_long;
use seccompiler::{BpfProgram, sock_filter};

use crate::set_up_error::SetUpError;

/// Classic BPF (`linux/bpf_common.h`): what an instruction does.
const LOAD: u16 = 0x20;
const AND: u16 = 0x54;
const JUMP: u16 = 0x05;
const JUMP_IF_EQUAL: u16 = 0x15;
const JUMP_IF_AT_LEAST: u16 = 0x35;
const RETURN: u16 = 0x06;

/// Answers of a filter (`linux/seccomp.h`); the number of an error stands in the lower half.
const KILL: u32 = 0x8000_0000;
const ERROR: u32 = 0x0005_0000;
const ALLOW: u32 = 0x7fff_0000;

/// Where `struct seccomp_data` has the number of the call, the architecture, and the arguments, in bytes.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const ARGUMENTS: u32 = 16;

/// `AUDIT_ARCH_*` of what this is built for.
const THIS: Option<u32> = match () {
    () if cfg!(target_arch = "x86_64") => Some(0xc000_003e),
    () if cfg!(target_arch = "aarch64") => Some(0xc000_00b7),
    () if cfg!(target_arch = "riscv64") => Some(0xc000_00f3),
    () => None,
};

/// What one half of an argument must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Test {
    /// The number of the argument, from 0 on.
    pub(crate) argument: u8,
    /// Whether its upper 32 bits are looked at, else the lower ones.
    pub(crate) upper: bool,
    /// The bits that are looked at.
    pub(crate) bits: u32,
    /// What is compared with them.
    pub(crate) value: u32,
    /// Whether they must be equal, else different.
    pub(crate) equal: bool,
}

impl Test {
    /// The lower half is exactly this.
    pub(crate) const fn lower_is(argument: u8, value: u32) -> Self {
        Self { argument, upper: false, bits: u32::MAX, value, equal: true }
    }

    /// The lower half is anything else.
    pub(crate) const fn lower_is_not(argument: u8, value: u32) -> Self {
        Self { equal: false, ..Self::lower_is(argument, value) }
    }
}

/// A call that is answered in the kernel's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rule {
    /// Its number.
    pub(crate) call: c_long,
    /// All of them must hold; with none it is always answered.
    pub(crate) tests: Vec<Test>,
    /// The error that it is told; 0 tells it that all went well.
    pub(crate) errno: i32,
}

/// Returns the program that answers by the first rule that fits, and lets all else through up to the call `newest`: what
/// comes behind it is told to be absent, as are the second numbers that x86-64 has for the same calls (x32). Calls of
/// another architecture end the process.
///
/// # Errors
/// On an architecture that is not known, and when there are too many rules for one program.
pub(crate) fn program(mut rules: Vec<Rule>, newest: c_long) -> Result<BpfProgram, SetUpError> {
    let this = THIS.ok_or_else(|| SetUpError::unfit("filters on system calls are not known for this architecture"))?;
    // Stable, so that the rules of one call stay in their order.
    rules.sort_by_key(|rule| rule.call);
    let calls: Vec<&[Rule]> = rules.chunk_by(|one, next| one.call == next.call).collect();
    let mut out = vec![
        step(LOAD, 0, 0, ARCHITECTURE),
        step(JUMP_IF_EQUAL, 1, 0, this),
        step(RETURN, 0, 0, KILL),
        step(LOAD, 0, 0, NUMBER),
        step(JUMP_IF_AT_LEAST, 0, 1, number(newest)? + 1),
        error(libc::ENOSYS),
    ];
    out.extend(search(&calls)?);
    Ok(out)
}

/// Finds the rules of a call by halves.
fn search(calls: &[&[Rule]]) -> Result<BpfProgram, SetUpError> {
    if let [rules] = calls {
        return answer(rules);
    }
    let (lower, upper) = calls.split_at(calls.len() / 2);
    let Some(first) = upper.first().and_then(|rules| rules.first()) else { return Ok(vec![step(RETURN, 0, 0, ALLOW)]) };
    let (lower, upper) = (search(lower)?, search(upper)?);
    // A long jump of its own: the short ones end at 255.
    let over = u32::try_from(lower.len()).map_err(|_| SetUpError::unfit("too many rules for a filter"))?;
    let mut out = vec![step(JUMP_IF_AT_LEAST, 0, 1, number(first.call)?), step(JUMP, 0, 0, over)];
    out.extend(lower);
    out.extend(upper);
    Ok(out)
}

/// Answers one call by its rules.
fn answer(rules: &[Rule]) -> Result<BpfProgram, SetUpError> {
    let Some(first) = rules.first() else { return Ok(vec![step(RETURN, 0, 0, ALLOW)]) };
    let mut out = vec![step(JUMP_IF_EQUAL, 1, 0, number(first.call)?), step(RETURN, 0, 0, ALLOW)];
    for rule in rules {
        let mut body = vec![error(rule.errno)];
        for test in rule.tests.iter().rev() {
            let past = u8::try_from(body.len()).map_err(|_| SetUpError::unfit("a rule of a filter is too long"))?;
            let (same, other) = if test.equal { (0, past) } else { (past, 0) };
            let from = ARGUMENTS + u32::from(test.argument) * 8 + if test.upper { 4 } else { 0 };
            let looks =
                [step(LOAD, 0, 0, from), step(AND, 0, 0, test.bits), step(JUMP_IF_EQUAL, same, other, test.value)];
            body.splice(0..0, looks);
        }
        out.extend(body);
    }
    out.push(step(RETURN, 0, 0, ALLOW));
    Ok(out)
}

fn number(call: c_long) -> Result<u32, SetUpError> {
    u32::try_from(call).map_err(|_| SetUpError::unfit("a system call has no such number"))
}

fn error(errno: i32) -> sock_filter {
    step(RETURN, 0, 0, ERROR | errno.unsigned_abs())
}

const fn step(code: u16, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a program as the kernel does.
    fn run(program: &[sock_filter], call: u32, architecture: u32, arguments: [u64; 6]) -> u32 {
        let word = |at: u32| match at {
            NUMBER => call,
            ARCHITECTURE => architecture,
            at => {
                let whole = arguments[usize::try_from((at - ARGUMENTS) / 8).unwrap()];
                u32::try_from(whole >> ((at - ARGUMENTS) % 8 * 8) & 0xffff_ffff).unwrap()
            }
        };
        let (mut at, mut held) = (0, 0);
        loop {
            let one = &program[at];
            at += 1;
            match one.code {
                LOAD => held = word(one.k),
                AND => held &= one.k,
                JUMP => at += usize::try_from(one.k).unwrap(),
                JUMP_IF_EQUAL => at += usize::from(if held == one.k { one.jt } else { one.jf }),
                JUMP_IF_AT_LEAST => at += usize::from(if held >= one.k { one.jt } else { one.jf }),
                RETURN => return one.k,
                code => panic!("{code}"),
            }
        }
    }

    #[test]
    fn each_call_is_answered_by_its_own_rules() {
        let this = THIS.unwrap();
        let mut rules: Vec<Rule> = (0..400)
            .step_by(2)
            .map(|call| Rule { call, tests: Vec::new(), errno: i32::try_from(call % 100).unwrap() })
            .collect();
        // 401: not 7 in the lower half, then bit 4 of the upper half of the second.
        rules.push(Rule { call: 401, tests: vec![Test::lower_is_not(0, 7)], errno: 1 });
        let bit = Test { argument: 1, upper: true, bits: 4, value: 4, equal: true };
        rules.push(Rule { call: 401, tests: vec![bit, Test::lower_is(2, 0)], errno: 2 });
        rules.reverse();
        rules.sort_by_key(|rule| rule.errno);
        let program = program(rules, 410).unwrap();
        assert!(program.len() < 4096);
        let answer = |call, arguments| run(&program, call, this, arguments);
        for call in (0..420).chain([0x4000_0000, 0x4000_0001, u32::MAX]) {
            let expected = match call {
                0..400 if call % 2 == 0 => ERROR | (call % 100),
                0..=410 => ALLOW,
                _ => ERROR | libc::ENOSYS.unsigned_abs(),
            };
            if call != 401 {
                assert_eq!(answer(call, [0; 6]), expected, "{call}");
            }
        }
        assert_eq!(answer(401, [8, 0, 0, 0, 0, 0]), ERROR | 1);
        assert_eq!(answer(401, [7 | 1 << 40, 5 << 32, 0, 0, 0, 0]), ERROR | 2);
        assert_eq!(answer(401, [7, 3 << 32, 0, 0, 0, 0]), ALLOW);
        assert_eq!(answer(401, [7, 4, 0, 0, 0, 0]), ALLOW);
        assert_eq!(answer(401, [7, 4 << 32, 9, 0, 0, 0]), ALLOW);
        assert_eq!(run(&program, 1, this + 1, [0; 6]), KILL);
        assert_eq!(run(&super::program(Vec::new(), 410).unwrap(), 1, this, [0; 6]), ALLOW);
    }
}
