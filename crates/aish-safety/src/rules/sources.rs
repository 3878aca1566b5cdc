//! Where text comes from: fetchers, decoders, copiers.

use super::names::{self, NameIndex};

/// Programs whose output or target file comes from another machine.
pub(crate) const FETCHERS: &[&str] = &[
    "curl",
    "wget",
    "wget2",
    "fetch",
    "aria2c",
    "lynx",
    "w3m",
    "links",
    "elinks",
    "http",
    "https",
    "xh",
    "xhs",
    "httpie",
    "nc",
    "ncat",
    "netcat",
    "socat",
    "telnet",
    "ftp",
    "lftp",
    "tftp",
    "scp",
    "sftp",
    "ssh",
    "rsync",
    "gsutil",
    "dig",
    "nslookup",
    "host",
    "drill",
    "axel",
    "GET",
    "HEAD",
    "POST",
    "lwp-request",
    "gh",
    "glab",
    "aws",
    "s3cmd",
    "rclone",
    "ipfs",
    "smbclient",
    "ldapsearch",
    "whois",
    "finger",
    "openssl-s_client",
];

/// Programs that write all records of a database.
pub(crate) const DUMPERS: &[&str] =
    &["mysqldump", "mariadb-dump", "pg_dump", "pg_dumpall", "mongodump", "mongoexport", "slapcat", "sqlite3-dump"];

/// Commands that print secrets: programs, then words that must all be among the operands, each with alternatives.
const SECRET_PRINTERS: &[(&str, &[&str])] = &[
    ("kubectl oc k", &["get describe", "secret secrets secret/* secrets/*"]),
    ("vault", &["kv read", "get read *secret*"]),
    ("aws", &["secretsmanager", "get-secret-value batch-get-secret-value"]),
    ("aws", &["ssm", "get-parameter get-parameters get-parameters-by-path"]),
    ("gcloud", &["secrets", "access"]),
    ("gcloud", &["auth", "print-access-token print-identity-token"]),
    ("az", &["keyvault", "show download"]),
    ("az", &["account", "get-access-token"]),
    ("heroku", &["config"]),
    ("gh glab", &["auth", "token"]),
    ("docker podman", &["secret", "inspect"]),
    ("doppler infisical chamber", &["secrets export read download"]),
    ("sops", &["-d --decrypt decrypt"]),
];

#[expect(clippy::indexing_slicing, reason = "evaluated when compiled; an error there fails the build")]
const PRINTER_NAMES: [&str; SECRET_PRINTERS.len()] = {
    let mut out = [""; SECRET_PRINTERS.len()];
    let mut at = 0;
    while at < SECRET_PRINTERS.len() {
        out[at] = SECRET_PRINTERS[at].0;
        at += 1;
    }
    out
};

static PRINTERS: NameIndex<{ names::count(&PRINTER_NAMES) }> = names::build(&PRINTER_NAMES);

/// Says whether a command prints secrets.
pub(crate) fn prints_secrets(program: &str, arguments: &[crate::command::Word]) -> bool {
    let parts = PRINTERS.candidates(program).filter_map(|at| SECRET_PRINTERS.get(at));
    parts.into_iter().any(|(_, parts)| {
        parts.iter().all(|part| {
            arguments.iter().any(|word| part.split(' ').any(|glob| crate::command::glob_match(glob, &word.text)))
        })
    })
}

/// Programs that turn hidden text into plain text.
pub(crate) const DECODERS: &[&str] = &[
    "gunzip",
    "zcat",
    "gzcat",
    "gzip",
    "bunzip2",
    "bzcat",
    "bzip2",
    "unxz",
    "xzcat",
    "xz",
    "zstd",
    "zstdcat",
    "unzstd",
    "lz4",
    "lz4cat",
    "lzop",
    "brotli",
    "unzip",
    "funzip",
    "7z",
    "7za",
    "tar",
    "bsdtar",
    "cpio",
    "ar",
    "uudecode",
    "basenc",
    "ascii2uni",
    "recode",
    "iconv",
    "age",
    "rot13",
    "base58",
    "base85",
    "ascii85",
    "qprint",
    "python-decode",
    "steghide",
    "unar",
    "od",
    "hexdump",
];

/// Programs that write nothing to the pipe.
pub(crate) const SILENT: &[&str] = &[
    "rm", "cp", "mv", "ln", "mkdir", "rmdir", "touch", "chmod", "chown", "chgrp", "true", "false", "test", "[", ":",
    "kill", "sleep", "wait", "install", "truncate", "unset", "trap", "umask", "ulimit", "disown", "bg", "exit",
    "return", "break", "continue",
];

/// Programs that put what they read into another file they name.
pub(crate) const COPIERS: &[&str] = &[
    "cp", "mv", "ln", "link", "install", "rsync", "dd", "tar", "bsdtar", "zip", "7z", "7za", "rar", "gzip", "bzip2",
    "xz", "zstd", "gpg", "openssl", "ditto", "pax", "cpio", "rename",
];

/// Programs that pack a file under its name with an ending, and the ending.
pub(crate) const PACKERS: &[(&str, &str)] = &[
    ("gzip", ".gz"),
    ("pigz", ".gz"),
    ("bzip2", ".bz2"),
    ("pbzip2", ".bz2"),
    ("xz", ".xz"),
    ("lzma", ".lzma"),
    ("zstd", ".zst"),
    ("lz4", ".lz4"),
    ("compress", ".Z"),
    ("brotli", ".br"),
    ("gpg", ".gpg"),
    ("age", ".age"),
];

/// Filters with a language of their own.
pub(crate) const FILTERS: &[&str] = &["sed", "gsed", "awk", "gawk", "mawk", "nawk"];
