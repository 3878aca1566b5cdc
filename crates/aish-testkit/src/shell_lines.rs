//! Shell lines from a grammar, the same ones each time, for tests of what reads such lines; and broken ones made of them.

/// Makes lines of a shell, the same ones for the same seed.
#[derive(Debug, Clone)]
pub struct ShellLines(u64);

impl ShellLines {
    /// Begins with a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Gives a number below a bound that is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        // Constants of Knuth's MMIX.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % bound
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of.get(self.below(of.len())).copied().unwrap_or_default()
    }

    fn word(&mut self) -> String {
        let words = [
            "a",
            "file.txt",
            "'two words'",
            "\"$x y\"",
            "$x",
            "${x:-d e}",
            "\"$(echo a)\"",
            "`echo a`",
            "-l",
            "*.c",
            "a\\ b",
            "$((1 + 2))",
            "~/x",
            "1",
            "\"a`echo b`\"",
            "$'t\\n'",
            "x=1",
            "if",
            "done",
            "{a,b}",
            "\"}\"",
            "${x[1]}",
        ];
        self.one(&words).to_owned()
    }

    fn simple(&mut self) -> String {
        let mut text = self.one(&["echo", "true", "ls", "A=1 cat", "! test", "umask 77", "printf"]).to_owned();
        for _ in 0..self.below(3) {
            text = format!("{text} {}", self.word());
        }
        text + self.one(&["", "", "", " > f", " 2>&1", " < in", " <<< w", " &> f", " {fd}> f"])
    }

    fn compound(&mut self, depth: usize) -> String {
        let (a, b) = (self.list(depth), self.list(depth));
        let word = self.word();
        let text = match self.below(14) {
            0 => format!("for i in {word}; do {a}; done"),
            1 => format!("for ((i = 0; i < 3; i++)); do {a}; done"),
            2 => format!("while {a}; do {b}; done"),
            3 => format!("until {a}; do {b}\ndone"),
            4 => format!("if {a}; then {b}; fi"),
            5 => format!("if {a}; then {b}; elif {a}; then {a}; else {b}; fi"),
            6 => format!("case {word} in a) {a};; (b|c) {b};; *) ;; esac"),
            7 => format!("{{ {a}; }}"),
            8 => format!("({a})"),
            9 => format!("( {a} && {b} )"),
            10 => "[[ -f x && $y == z ]]".to_owned(),
            11 => "((x > 1))".to_owned(),
            12 => format!("f() {{ {a}; }}"),
            _ => format!("select i in {word}; do {a}; done"),
        };
        text + self.one(&["", "", "", " > f", " 2>/dev/null", " < in"])
    }

    fn command(&mut self, depth: usize) -> String {
        if depth > 0 && self.below(3) == 0 { self.compound(depth - 1) } else { self.simple() }
    }

    fn list(&mut self, depth: usize) -> String {
        let mut text = self.command(depth);
        for _ in 0..self.below(2) {
            let joint = self.one(&["; ", " && ", " || ", " | ", " |& ", " & ", "\n"]);
            text = format!("{text}{joint}{}", self.command(depth));
        }
        text
    }

    /// Makes a line that has a compound command.
    pub fn compound_line(&mut self) -> String {
        let begin = self.one(&["", "", "", "time ", "time -p ", "! ", "coproc ", "echo a; ", "ls | ", "x=1 && "]);
        let compound = self.compound(2);
        let end = self.one(&["", "", "", " | sort", " && echo a", " &", "; echo a", " || exit", " # done"]);
        format!("{begin}{compound}{end}")
    }

    /// Makes a line with a word taken out, put in or moved: most are no longer lines of a shell.
    pub fn broken(&mut self) -> String {
        let line = self.compound_line();
        let mut words: Vec<&str> = line.split(' ').collect();
        let at = self.below(words.len());
        let word = self.one(&["done", ";", "then", ")", "fi", "|", "x", "do", "(", "\"", "'", "$(", "&&", "`", "#"]);
        match self.below(3) {
            0 => drop(words.remove(at)),
            1 => words.insert(at, word),
            _ => words.swap(at, 0),
        }
        words.join(" ")
    }

    /// Makes a line that is cut off somewhere.
    pub fn cut(&mut self) -> String {
        let mut line = self.compound_line();
        let mut at = self.below(line.len() + 1);
        while !line.is_char_boundary(at) {
            at -= 1;
        }
        line.truncate(at);
        line
    }
}

/// Lines with compound commands and simple ones.
impl Iterator for ShellLines {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        Some(if self.below(2) == 0 { self.compound_line() } else { self.list(1) })
    }
}
