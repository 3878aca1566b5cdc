//! What is wrong in a file about a program or of words is told, with its place.

use aish_program_format::compile::{Fault, compile};
use aish_program_format::file::{ProgramFile, SharedFile};
use aish_program_format::words::WordsFile;
use serde::de::DeserializeOwned;

/// Reads a file; what is wrong in it as `LINE: MESSAGE`.
fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let at = error.span().map_or(0, |span| span.start);
        format!("{}: {}", text[..at].matches('\n').count() + 1, error.message())
    })
}

const RULE: &str = "names = [\"x\"]\n[[rule]]\nid = \"x.y\"\nhalt = \"delete\"\non = \"rm\"\nreason = \"deletes\"\nmatch = [\"x rm\"]\n";

#[test]
fn what_is_wrong_in_a_file_is_told_with_its_line() {
    for (from, to, expected) in [
        ("on = \"rm\"", "on = \"rm %sytsem\"", "5: `%sytsem` is no class of operands"),
        ("on = \"rm\"", "on = \"rm %systme\"", "5: `%systme` is no class of operands; did you mean `%system`?"),
        ("on = \"rm\"", "on = \"-f|-r|-f\"", "5: `-f` is named twice in `-f|-r|-f`"),
        ("on = \"rm\"", "on = \"rm !\"", "5: `!` has nothing behind it"),
        (
            "on = \"rm\"",
            "on = \"<scret\"",
            "5: `<scret` is no kind of input; it is `<any`, `<none`, `<secret` or `<foreign`",
        ),
        (
            "on = \"rm\"",
            "on = \"rm|%some\"",
            "5: `%some` stands among words, which no class is; it is a part of its own",
        ),
        ("on = \"rm\"", "on = \"%is:a|%sytsem\"", "5: `%sytsem` is no class of operands"),
        ("on = \"rm\"", "on = \"!%has:a|b|%\"", "5: `%` is no class of operands"),
        ("on = \"rm\"", "on = \"%each:any\"", "5: `%each:` is no question about operands"),
        ("halt = \"delete\"", "halt = \"deletes\"", "4: unknown variant `deletes`, expected one of "),
        ("halt = \"delete\"", "", "2: the rule x.y says one of `halt`, `ask` and `allow`, with what is done"),
        ("reason = \"deletes\"", "", "2: the rule x.y gives no `reason`"),
        ("match = [\"x rm\"]", "", "2: the rule x.y has no line under `match`"),
        ("match = [\"x rm\"]", "matches = []", "7: unknown field `matches`"),
        ("[[rule]]", "takes = \"-a -b -a\"\n[[rule]]", "2: `-a` is named twice"),
        ("[[rule]]", "is = [\"shel\"]\n[[rule]]", "2: `shel` is no fact about a program; did you mean `shell`?"),
        ("[[rule]]", "output = \"nothing\"\n[[rule]]", "2: `nothing` is no kind of output"),
    ] {
        let error = read::<ProgramFile>(&RULE.replace(from, to)).unwrap_err();
        assert!(error.starts_with(expected), "{to}: {error}");
    }
    assert!(read::<ProgramFile>(RULE).is_ok());
}

#[test]
fn what_is_wrong_between_files_is_told_with_the_file() {
    let check = |files: &[(&str, &str)], expected: &[(&str, &str)]| {
        let files: Vec<_> = files.iter().map(|(name, text)| ((*name).to_string(), read(text).unwrap())).collect();
        let shared: Vec<(String, SharedFile)> = Vec::new();
        let faults = compile(&files, &shared).map(|_| Vec::new()).unwrap_or_else(|faults| faults);
        let found: Vec<(&str, &str)> =
            faults.iter().map(|Fault { file, message, .. }| (file.as_str(), message.as_str())).collect();
        assert_eq!(found, expected);
    };
    check(&[("x", RULE)], &[]);
    check(&[("x", RULE), ("y", "names = [\"x\"]")], &[("y", "x is named in two files, or twice in one")]);
    check(&[("x", ""), ("y", "names = [\"y\"]")], &[("x", "`names` names no program")]);
    check(&[("x", "names = [\"x\"]\n[[rule]]\nuse = \"a.b\"")], &[("x", "there is no rule a.b")]);
    check(&[("x", "names = [\"x\"]\n[[wraps]]\nuse = \"a\"")], &[("x", "there is no way to run others a")]);
    check(
        &[("x", &RULE.replace("id =", "for = [\"z\"]\nid ="))],
        &[("x", "`for` names z, which is not among the names of the file")],
    );
    let harmless = RULE.replace("[[rule]]", "harmless = true\n[[rule]]");
    let optional = harmless.replace("on = \"rm\"", "on = \"-k|--kill\"");
    check(&[("x", &optional)], &[("x", "x.y asks about an option of x, and all are harmless by `harmless`")]);
    let ruled = RULE.replace("on = \"rm\"", "on = \"-k\"").replace("[[rule]]", "local = [\"*\"]\n[[rule]]")
        + "[[rule]]\nid = \"x.z\"\nallow = \"read\"\nharmless = true\nreason = \"shows\"\nmatch = [\"x a\"]\n";
    check(&[("x", &ruled)], &[("x", "x.y asks about an option of x, and all are harmless by `harmless`")]);
    for spared in
        [&harmless, &optional.replace("-k", "!-k"), &optional.replace("halt = \"delete\"", "ask = \"read-secret\"")]
    {
        check(&[("x", spared)], &[]);
    }
    let own = RULE
        .replace("[[rule]]", "local = [\"show\"]\n[[rule]]")
        .replace("halt = \"delete\"\non = \"rm\"", "allow = \"read\"\non = \"show\"");
    let user = "names = [\"y\"]\nlocal = [\"*\"]\n[[rule]]\nuse = \"x.y\"";
    let barring = own.replace("on = \"show\"", "on = \"!rm\"");
    check(&[("x", &barring)], &[("x", "x.y allows all sub-commands but those that it names")]);
    let message = "x.y allows sub-commands of others, and `local` does not say which of them are its own";
    check(&[("x", &own), ("y", user)], &[("y", message)]);
    check(&[("x", &own), ("y", &user.replace('*', "show"))], &[]);
    let again = RULE.replace("\"x\"", "\"y\"");
    check(&[("x", RULE), ("y", &again)], &[("y", "the id x.y is given twice")]);
    let valued = "names = [\"x\"]\nlocal = [\"*\"]\nvalues = \"-m\"\n[[rule]]\nid = \"x.y\"\nallow = \"read\"\n\
        flags = \"-m\"\nreason = \"shows\"\nmatch = [\"x\"]\n";
    check(&[("x", valued)], &[("x", "`-m` takes a value here, and x.y has it among `flags`")]);
    let twice = valued.replace("values = \"-m\"\n", "").replace("flags =", "values = \"-m -n\"\nflags =");
    check(&[("x", &twice)], &[("x", "`-m` is named in two lists of options of x.y")]);
    let asks = valued.replace("values = \"-m\"\n", "").replace("allow =", "ask =");
    check(&[("x", &asks)], &[("x", "x.y does not allow, and says which options are harmless")]);
}

#[test]
fn what_is_wrong_among_words_is_told() {
    let check = |text: &str, expected: &str| {
        let found = match read::<WordsFile>(text) {
            Ok(file) => file.faults("x").first().map(|fault| fault.message.clone()).unwrap_or_default(),
            Err(error) => error,
        };
        assert!(found.starts_with(expected) && found.is_empty() == expected.is_empty(), "{text}: {found}");
    };
    check("[lists]\nx = [\n\"a\",\n\"b\", \"B\"]\ny = [\"a\"]", "");
    check("[lists]\nx = [\n\"a\",\n\"b\", \"a\"]", "4: `a` is named twice");
    check("[lists]\nx = [\n\"a\", \"\"]", "3: a word is empty");
    check("[lists]\nx = [\n\"a\",\n1]", "4: invalid type: integer `1`, expected a word");
    check("[lists]\nx = \"a\"", "2: invalid type: string \"a\", expected a list of words");
    check("[lists]\nx-y = [\"a\"]", "`x-y` has more than small letters and `_`");
    check("[list]", "1: unknown field `list`");
    check("[language]\ngenral = [\"a\"]", "2: `genral` is no language; did you mean");
    check("[settable]\nnumbers = [\"A\"]\nnot = [\"A\"]", "`A` is in two groups");
    check("[arguments]\n0 = [\"a\"]\n1- = [\"b\"]\n1-2 = [\"c\"]", "");
    check("[arguments]\n2-1 = [\"a\"]", "2: `2-1` is no number of arguments");
    check("[arguments]\n-1 = [\"a\"]", "2: `-1` is no number of arguments");
    check("lower-case = true\n[lists]\nx = [\"a\", \"B\"]", "`B` is not in lower case");
    check("lower-case = true\n[arguments]\n1 = [\"B\"]", "`B` is not in lower case");
}

#[test]
fn what_a_rule_needs_is_read_from_its_pattern() {
    use aish_program_format::builder::Builder;
    use aish_program_format::pattern::parse;
    let bits = |letters: &str| letters.bytes().fold(0_u128, |bits, letter| bits | 1 << letter);
    let check = |on: &str, letters: u128, option: bool| {
        let parsed = parse(on, &mut Builder::default()).unwrap();
        assert_eq!((parsed.letters, parsed.option), (letters, option), "{on}");
    };
    check("-r|--recursive %system", 0, true);
    check("!-r %system|-f", 0, false);
    check("push|pull", bits("p"), false);
    check("* delete|drop|wipe %few", bits("dw"), false);
    check("** delete|rm|*-x", u128::MAX, false);
    check("update --all|-C|%some", bits("u"), false);
    check("-f|force", 0, false);
    check("**", 0, false);
}
