//! Whether the name of a file tells that it holds keys, passwords or tokens, or a pattern means such names: by lists, or by
//! the words in it.

use aish_programs::words::secret_files::{BEGUN, EXCEPTIONS, MEANT, NAMES, ORDINARY, ORDINARY_KINDS};
use aish_programs::words::secret_words::{
    ABOUT, COPIES, DATA, MORE_NAMES, PARTS, PLAIN, PLAIN_WITH_DOT, REST_NAMES, WORDS,
};

use crate::command::glob_match;
use crate::command::path::globs::Globs;

static SECRET: Globs = Globs::new(NAMES);
static MORE: Globs = Globs::new(MORE_NAMES);
static REST: Globs = Globs::new(REST_NAMES);
static OPEN: Globs = Globs::new(EXCEPTIONS);

/// No file system takes a longer name, in bytes.
const LONGEST: usize = 255;

/// A name with a dot that no pattern for such files fits.
const ANY_DOTTED: &str = ".ordinary";

/// Bytes of a pattern from which on it is taken for one that may fit any name.
const LONG: usize = 256;

/// Letters of a pattern from which on it is taken to be made for something; two where it begins with a wildcard and ends
/// with a letter.
const MADE_FOR: usize = 3;

/// Says whether the last part of a path is the name of a file with keys, passwords or tokens.
pub(crate) fn tells(name: &str) -> bool {
    if name.len() > LONGEST {
        return SECRET.any(name);
    }
    let bare = without_marks_of_copies(name);
    let is_one = |name: &str| is_listed(name) || is_folded(name) && is_listed(&name.to_ascii_lowercase());
    (is_one(name) || bare != name && is_one(bare)) && !is_open(name)
}

/// Says the same of what is a file's name for sure, and no word of another kind: `token`, `.secrets`, `API_KEY`.
pub(crate) fn tells_of_a_file(name: &str) -> bool {
    if name.len() > LONGEST {
        return false;
    }
    let name = without_marks_of_copies(name).to_ascii_lowercase();
    let bare = name.strip_prefix('.').unwrap_or(&name);
    tells(&name)
        || !is_open(&name)
            && !bare.contains('.')
            && !ABOUT.iter().any(|part| bare.contains(part))
            && bare != "passwd"
            && (PLAIN.contains(&bare)
                || PLAIN_WITH_DOT.contains(&name.as_str())
                || has_part(bare)
                || bare.split(['-', '_']).any(|word| WORDS.contains(&word)))
}

/// Says whether a name only looks like one of them.
pub(crate) fn is_open(name: &str) -> bool {
    let name = without_marks_of_copies(name);
    OPEN.any(name) || is_folded(name) && OPEN.any(&name.to_ascii_lowercase())
}

fn is_listed(name: &str) -> bool {
    !OPEN.any(name) && (SECRET.any(name) || MORE.any(name) || REST.any(name) || is_data_by_name(name))
}

/// Says whether a name has capitals that a file system may take for small letters. A word in capitals alone is a variable or a
/// header.
fn is_folded(name: &str) -> bool {
    name.bytes().any(|byte| byte.is_ascii_uppercase())
        && name.bytes().any(|byte| !(byte.is_ascii_uppercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-')))
}

fn is_data_by_name(name: &str) -> bool {
    let Some((stem, kind)) = name.rsplit_once('.') else { return false };
    !stem.is_empty()
        && DATA.contains(&kind)
        && !ABOUT.iter().any(|part| stem.contains(part))
        && (has_part(stem) || stem.split(['-', '_', '.', ' ']).any(|word| WORDS.contains(&word)))
}

fn has_part(stem: &str) -> bool {
    PARTS.iter().any(|part| stem.contains(part))
}

/// Takes off what says that a file is a copy of another: `.env~`, `#.env#`, `..env.swp`, `shadow.bak`, `secrets.yml.1.gz`.
pub(crate) fn without_marks_of_copies(name: &str) -> &str {
    let mut name = name.strip_prefix('#').and_then(|name| name.strip_suffix('#')).unwrap_or(name);
    for _ in 0..3 {
        let (stem, end) = match name.strip_suffix('~') {
            Some(stem) => (stem, ""),
            None => name.rsplit_once('.').unwrap_or((name, "")),
        };
        let is_copy = COPIES.contains(&end) || !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_digit());
        if stem.len() == name.len() || stem.len() < 2 || !(end.is_empty() || is_copy) {
            break;
        }
        // An editor keeps `.env` as `..env.swp`, and `token.txt` as `.token.txt.swp`.
        name = if matches!(end, "swp" | "swo") { stem.strip_prefix('.').unwrap_or(stem) } else { stem };
    }
    name
}

/// Says whether a name or a pattern of names is that of a file with keys or passwords. Some programs and some file systems
/// see no difference between `.env` and `.ENV`.
pub(crate) fn names_key(pattern: &str) -> bool {
    let bare = pattern.rsplit('/').next().unwrap_or_default();
    let bare = bare.trim_start_matches('^').trim_end_matches('$').replace("\\.", ".");
    names_key_as_written(&bare)
        || bare.bytes().any(|byte| byte.is_ascii_uppercase()) && names_key_as_written(&bare.to_ascii_lowercase())
}

/// Says the same, or whether a pattern fits the name of such a file and no ordinary name of the same kind.
pub(crate) fn may_name_key(pattern: &str) -> bool {
    let bare = pattern.rsplit('/').next().unwrap_or_default();
    names_key(pattern) || is_made_for(bare) || is_made_for(&bare.to_ascii_lowercase())
}

fn names_key_as_written(bare: &str) -> bool {
    // What a process was started with, below `/proc`.
    if NAMES.contains(&bare) || bare == "environ" {
        return true;
    }
    let fits = |name: &str| glob_match(bare, name);
    match bare.find(['*', '?', '[']) {
        Some(_) if bare.len() > LONG => true,
        // What fits any name with a dot means none of them.
        Some(_) if bare.starts_with('.') && !fits(ANY_DOTTED) => {
            NAMES.iter().filter(|name| !name.contains('/')).any(|name| fits(name))
                || BEGUN.iter().any(|name| fits(name))
        }
        Some(begun) => begun >= 3 && BEGUN.iter().any(|name| fits(name)),
        None => bare.len() >= 3 && tells(bare),
    }
}

fn is_made_for(pattern: &str) -> bool {
    let is_pattern = pattern.contains(['*', '?', '[']);
    if !is_pattern || pattern.len() > LONG {
        return is_pattern;
    }
    let fits = |name: &str| glob_match(pattern, name);
    let is_wild = |letter: Option<char>| letter.is_some_and(|letter| matches!(letter, '*' | '?' | '['));
    let least = match (is_wild(pattern.chars().next()), pattern.ends_with('*')) {
        (true, false) => MADE_FOR - 1,
        _ => MADE_FOR,
    };
    let letters = pattern.bytes().filter(|byte| !matches!(byte, b'*' | b'?' | b'[' | b']' | b'!' | b'^')).count();
    let is_ordinary = |name: &str| {
        let kind = name.rsplit_once('.').map(|(_, kind)| kind);
        let kind = kind.filter(|kind| ORDINARY_KINDS.contains(kind) || *kind == "conf");
        kind.is_some_and(|kind| fits(&alloc::format!("ordinary.{kind}")))
    };
    (letters >= least || pattern.starts_with('.'))
        && !ORDINARY.iter().any(|name| fits(name))
        && MEANT.iter().any(|name| fits(name) && !is_ordinary(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell() {
        for name in ".ENV Id_Rsa.bak Server.PEM .dockercfg .env~ #.env# ..env.swp shadow.bak shadow.1.gz kubeconfig.yaml x.tfvars \
            krb5cc_1000 .irb_history github_token.txt clientSecret.json new_user_credentials.csv credentials.yml.enc \
            id_ed25519_work NuGet.Config wp-config.php.bak .env.swp secring.gpg"
            .split(' ')
        {
            assert!(tells(name), "{name}");
        }
        for name in "README.md token.rs tokenizer.json secrets.md password.go API_KEY API-KEY SECRET_KEY passwd .env.example \
            id_rsa.pub id_rsa.pub.bak secrets.yml.example pyproject.toml Cargo.lock package.json shadow.css settings.xml \
            gradle.properties my.cnf design-tokens.json token secrets service-account.yaml x.tf wp-config-sample.php \
            app.conf main.yml .gitignore"
            .split(' ')
        {
            assert!(!tells(name), "{name}");
        }
        for name in [
            "token",
            ".secrets",
            "API_KEY",
            "ID_RSA",
            ".history",
            "db_password",
            "Cookies",
            "kubeconfig-prod",
            ".openai_api_key",
        ] {
            assert!(tells_of_a_file(name), "{name}");
        }
        for name in ["passwd", "README", "tokenizer", "Makefile", "common-password", "token.rs", "keys", ".gitignore"] {
            assert!(!tells_of_a_file(name), "{name}");
        }
    }

    #[test]
    fn searches_for_keys_are_told_by_their_patterns() {
        for pattern in
            "id_rsa id_* *.pem */.env ^\\.env$ .env* *_rsa .e?v .n*rc .ENV *env ?env [.]env .en[[:alpha:]] *rc environ \
            *.tfvars *cred* *.k?y"
                .split(' ')
        {
            assert!(may_name_key(pattern), "{pattern}");
        }
        for pattern in [
            "*", "*.json", "*.yml", "*.rs", "main*", "i*", "src", "", ".*", ".[!.]*", ".docker*", "*.*", "*.c", "*.py",
            "*.conf", "s*", "*test*", "config*", "*.md", "*s", "README*", "*.tf", "*.lock",
        ] {
            assert!(!may_name_key(pattern), "{pattern}");
        }
    }
}
