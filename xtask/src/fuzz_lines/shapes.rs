//! Lines that once went over a bound, or were made to: judged before any that are made at random.

/// Short ones.
const LINES: &[&str] = &[
    "ps | awk '$1 == \"a\" { system(\"kill \" $2) }'",
    "awk '{ == \"x\"; system(b) }'",
    "awk '{ system(\"kill \" $2) }'",
    "a=xxxxxxxxxx; a=$a$a$a$a$a$a$a$a; a=$a$a$a$a$a$a$a$a; a=$a$a$a$a$a$a$a$a; b=${a//x/$a}; echo $b | sh",
    "x='${a:-'; x=$x$x$x$x$x$x$x$x; x=$x$x$x$x$x$x$x$x; x=$x$x$x$x$x$x$x$x; x=$x$x$x$x$x$x$x$x; PS4=$x ls",
    "<<$[  #",
    "$(<<  #",
    "<<\r #",
    "<<\r&$(",
    "cat <<'' #",
];

/// Long ones: what stands before, what is repeated (`#` is a number), what stands behind.
const REPEATED: &[(&str, &str, &str)] = &[
    ("perl -e 'eval ", "q{eval ", "'"),
    ("psql -c '", "\\! a\n", "'"),
    ("aws s3 sync ", "./dsync ", ""),
    ("", "flock -nl rm -r", ""),
    ("", "nohup sh -c #up ", ""),
    ("cat ", "<<a#", ""),
    ("cat <<E ", "a ", "\nE\n"),
    ("cat <<", "E", "\nx\nx\nx\n"),
    ("gh release delete v1 -", "y#", ""),
    ("python3 ", "/srv/$x$xa/* ", ""),
    ("a ", "$[x[name} ", ""),
    ("a=", "x", "; b=$a$a; c=$b$b; echo $c | rev | rev | rev"),
    ("a=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; ", "a#=$a$a;", ""),
    ("set -- ", "a ", "; shift; shift; echo $@ $@ $@ $@ $@ $@ $@ $@"),
    ("set -- a b c d e f g h i j k l m n o p q r s t u v w x y z; ", "shift;set -- $@ $@;", ""),
    ("IFS=", "abcdefgh", "; x=hhhhhhhhhhhhhhhhhh; ls $x $x $x $x"),
    ("echo a", "{}", ",x"),
    ("echo ", "{a,b}", ""),
    ("echo ", "a", " | tr a-zA-Z0-9 n-za-mN-ZA-M0-9"),
    ("echo x | xargs -I{} rm ", "{}", ""),
    ("python3 -c '", "system(", "aaaaaaaaaaaaaaaaaaaa'"),
    ("python3 -c '", "\"a\" + \"", "'"),
    ("echo ", "a", " > f; cat f f f f f f f f f f | sh"),
    ("echo ", "x > f# ", ""),
    ("rm ", "/a/b", "/c"),
    ("", "rm a#; ", ""),
    ("", "echo > a#; ", ""),
    ("ls ", "?s ", ""),
    ("((", "a+", "a))"),
    ("a", " && b", " $("),
    ("printf ", "%s", " a"),
    ("eval ", "\" eval ", ""),
    ("echo \"\\\"%s\\\"\" || ", "if do# a {a,a.b} || ", ""),
    ("trap '", "rm ", "' EXIT"),
    ("case x in ", "a) b;; ", "esac"),
    ("", "$(", ""),
    ("", "`a", ""),
    ("echo ", "'\"", ""),
    ("", "done s3 c$({#s3://mallor", "y"),
    ("sort -", "rn", ""),
    ("a", "c[rins", "]=x"),
    (" if ", "x[\"", ""),
    ("(( i[f++ + -1 ? ", "x[IFS", "++"),
    ("w=(us*", "delr", "); ${w[0]} x"),
    ("w=(us*", "[d", "); ${w[0]} x"),
    ("php -r 'passthru(f(b)", "do t_co(b)", "'"),
    ("redi/", "*", " cli"),
    ("ls ", "*", ""),
    ("uv run /", "*e test-- {}", ""),
    ("redi/*", "[a", "* cli"),
    ("xargs ", "-re#", " a"),
    ("xcodebuil/*d clean ", "bu ", ""),
    ("/|sbin/mk/* ", "-F# ", ""),
    ("don", "[e#", ""),
    ("case x in (<< | ", "printf a `b`; ", ")"),
    ("perl -e 'eval q{", "eval q{", "'"),
    ("perl -e 'eval q{ system(\"a b\") ", "eval q{x} ", "'"),
    ("perl -e 'glob(", "unlink ", "'"),
    ("perl -e '", "unlink if ", "'"),
    ("python3 -c 'requests.post", "\"/a\",", "'"),
    ("psql -c '", "a;", "'"),
    ("ls ", "a(ea", ""),
    ("ls ", "}<", ""),
    ("", "v#=$(a#)\n", ""),
    ("ls ", "$a[", ""),
    ("echo ", "[!a", ""),
    ("x=(", "(ab#", ""),
    ("cat <<E\n", "a $\n", "E\nls 'x\n'"),
    ("", "cat <<E#;", "\nx\nx"),
    ("expect -c '", "eval {", "'"),
    ("expect -c '", "eval {spawn a; ", "'"),
    ("expect -c '", "puts [exec a [", "'"),
    ("expect -c 'set a xxxxxxxxxxxxxxxx; ", "set a $a$a;", "spawn $a'"),
    ("expect -c '", "set a# \"$a b\"; send $a#; ", "'"),
    ("expect -c '", "file delete {a ", "'"),
    ("echo '", "delete a\n", "' | bconsole"),
    ("awk '", "print | a ", "'"),
    ("curl '", "=/a", "'"),
    ("x=1", " ~a", ""),
    ("find . ", "-exec a \\; ", ""),
    ("", "{", ""),
];

/// Makes the lines, the long ones of a length in bytes.
pub(super) fn lines(length: usize) -> impl Iterator<Item = String> {
    let repeated = REPEATED.iter().map(move |(before, part, behind)| {
        let mut out = String::from(*before);
        for number in 0.. {
            let next = part.replace('#', &format!("{number}"));
            if out.len() + next.len() + behind.len() > length {
                break;
            }
            out.push_str(&next);
        }
        out.push_str(behind);
        out
    });
    LINES.iter().map(|line| (*line).to_string()).chain(repeated)
}
