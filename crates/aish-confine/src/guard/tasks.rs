//! Files that programs which run tasks read without being told: a hook that runs `make` runs what the makefile says.

/// Such programs, and their files in the folder where they are started.
#[rustfmt::skip]
const FILES: &[(&str, &[&str])] = &[
    ("make", &["GNUmakefile", "makefile", "Makefile"]),
    ("gmake", &["GNUmakefile", "makefile", "Makefile"]),
    ("just", &["justfile", "Justfile"]),
    ("task", &["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml", "Taskfile.dist.yml", "Taskfile.dist.yaml"]),
    ("rake", &["Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb"]),
    ("nox", &["noxfile.py"]),
    ("tox", &["tox.ini"]),
    ("invoke", &["tasks.py"]),
    ("inv", &["tasks.py"]),
    ("doit", &["dodo.py"]),
    ("ninja", &["build.ninja"]),
    ("scons", &["SConstruct"]),
    ("gulp", &["gulpfile.js", "gulpfile.mjs", "gulpfile.ts"]),
    ("grunt", &["Gruntfile.js"]),
    ("ant", &["build.xml"]),
];

/// Lists the files that a program of this name reads.
pub(super) fn of(program: &str) -> &'static [&'static str] {
    FILES.iter().find(|(name, _)| *name == program).map_or(&[], |(_, files)| files)
}
