//! Reading what is secret: asked, for the words of a secret end in a transcript.

use super::rule::Effect::ReadSecret;
use super::rule::{Rule, ask};

/// The family.
pub const RULES: &[Rule] = &[
    ask(
        "secrets.read-file",
        ReadSecret,
        "cat|head|tail|less|more|bat|grep|egrep|fgrep|rg|awk|sed|cp|mv|strings|xxd|od|base64|hexdump|cut|sort|diff|tac|nl|jq|yq|tar|zip|rsync|scp|openssl|source|.|python3|python|view|nano|vim|vi|tee|dd|wc|ln|find|comm|join|paste|uniq|rev|zcat|gpg|curl|wget|git|docker|kubectl|git-crypt|sops|age|pr|fold|column|read|mapfile|ssh-keygen|ssh-add|gzip|xz|bzip2|install|sha256sum|md5sum|more|most|batcat|tr|expand|fmt %arg:secret",
        "reads {targets}, which holds secrets",
        &["cat ~/.ssh/id_rsa", "cat .env", "base64 ~/.aws/credentials"],
        &["cat README.md"],
    ),
    ask(
        "secrets.given",
        ReadSecret,
        "* %secret !%is:*.pub",
        "is given {targets}, which holds secrets",
        &["unknown-tool ~/.ssh/id_rsa"],
        &["ls x"],
    ),
];
