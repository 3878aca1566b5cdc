//! Where text comes from: fetchers, decoders, copiers.

/// Programs whose output or target file comes from another machine.
pub(crate) const FETCHERS: &[&str] = &[
    "curl", "wget", "wget2", "fetch", "aria2c", "lynx", "w3m", "links", "elinks", "http", "https", "xh", "xhs", "httpie", "nc", "ncat", "netcat", "socat",
    "telnet", "ftp", "lftp", "tftp", "scp", "sftp", "ssh", "rsync", "gsutil", "dig", "nslookup", "host", "drill", "axel", "GET", "HEAD", "POST", "lwp-request",
    "gh", "glab", "aws", "s3cmd", "rclone", "ipfs", "smbclient", "ldapsearch", "whois", "finger", "openssl-s_client",
];

/// Programs that turn hidden text into plain text.
pub(crate) const DECODERS: &[&str] = &[
    "gunzip", "zcat", "gzcat", "gzip", "bunzip2", "bzcat", "bzip2", "unxz", "xzcat", "xz", "zstd", "zstdcat", "unzstd", "lz4", "lz4cat", "lzop", "brotli", "unzip",
    "funzip", "7z", "7za", "tar", "bsdtar", "cpio", "ar", "uudecode", "basenc", "ascii2uni", "recode", "iconv", "age", "rot13", "base58", "base85", "ascii85", "qprint",
    "python-decode", "steghide", "unar", "od", "hexdump",
];

/// Programs that write nothing to the pipe.
pub(crate) const SILENT: &[&str] = &[
    "rm", "cp", "mv", "ln", "mkdir", "rmdir", "touch", "chmod", "chown", "chgrp", "true", "false", "test", "[", ":", "kill", "sleep", "wait", "install", "truncate", "unset",
    "trap", "umask", "ulimit", "disown", "bg", "exit", "return", "break", "continue",
];

/// Programs that put what they read into another file they name.
pub(crate) const COPIERS: &[&str] = &[
    "cp", "mv", "ln", "link", "install", "rsync", "dd", "tar", "bsdtar", "zip", "7z", "7za", "rar", "gzip", "bzip2", "xz", "zstd", "gpg", "openssl", "ditto", "pax", "cpio", "rename",
];
