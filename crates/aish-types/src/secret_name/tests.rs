//! Names, and the contexts in which they tell of a secret.

use alloc::string::String;

use super::*;

const CONTEXTS: [(char, NameContext); 6] =
    [('p', Parameter), ('t', Text), ('v', Variable), ('j', Judged), ('s', Suspected), ('c', Confined)];

/// Names, and the letters of the contexts in which they tell of a secret.
#[rustfmt::skip]
const NAMES: &[(&str, &str)] = &[
    // What no context doubts.
    ("DB_PASSWORD", "ptvjc"), ("PGPASSWORD", "ptvjc"), ("db_password", "ptvjc"), ("PASSWORD2", "ptvjc"), ("TOKEN", "ptvjc"),
    ("GITHUB_TOKEN", "ptvjc"), ("NPM_TOKEN_2", "ptvjc"), ("GHTOKEN", "ptvjc"), ("accessToken", "ptvjc"), ("clientSecret", "ptvjc"),
    ("client-secret", "ptvjc"), ("DBPASSWD", "ptvjc"), ("BORG_PASSPHRASE", "ptvjc"), ("SSH_PASSCODE", "ptvjc"),
    ("AWS_CREDENTIAL", "ptvjc"), ("GOOGLE_APPLICATION_CREDENTIALS", "ptvjc"), ("AWS_SECRET_ACCESS_KEY", "ptvjsc"),
    // Keys by the word before them.
    ("OPENAI_API_KEY", "ptvjsc"), ("APIKEY", "ptvjc"), ("x-api-key", "ptvjc"), ("accessKey", "ptvjc"), ("API_KEYS", "ptvjsc"),
    ("PRIVATE_KEY", "ptvjsc"), ("ENCRYPTION_KEY", "ptvjsc"), ("JWT_SIGNING_KEY", "ptvjsc"), ("LICENSE_KEY", "ptvsc"),
    ("TS_AUTHKEY", "ptvsc"), ("API_KEY_OLD", "pvjsc"), ("AWS_ACCESS_KEY_ID", "pvjc"),
    // Other keys, and what only looks like one.
    ("STRIPE_KEY", "pvsc"), ("DEPLOY_KEY2", "pvsc"), ("sort_key", "pc"), ("CACHE_KEY", "psc"), ("SSH_KEY", "psc"), ("GPG_KEY", "psc"),
    ("GPG_KEY_ID", "pc"), ("KEY", "pc"), ("key", "pc"), ("KEYS", "c"), ("KEY_FILE", "pc"), ("GIT_CONFIG_KEY_0", "psc"), ("DEPLOY_PUBLIC_KEY", "pc"), ("KEYBOARD", ""),
    ("MONKEY", ""), ("MONKEY_BUSINESS", ""), ("XKB_KEYMAP", ""), ("hotkey", ""), ("KEYRING_BACKEND", "c"),
    // Words that others contain.
    ("SMTP_PASS", "ptvjsc"), ("pass", "ptc"), ("COMPASS", ""), ("MYSQL_PWD", "ptvjsc"), ("DB_PWD", "ptvsc"), ("PWD", "p"), ("OLDPWD", ""),
    ("pwd", "ptc"), ("GITHUB_PAT", "ptvjsc"), ("COMPAT", ""), ("PIN", "ptsc"), ("LED_PIN", "ptsc"), ("PAT", "ptsc"), ("PINNED", ""), ("SSHPASS", "ptvsc"), ("LDAP_BIND_PW", "ptvsc"),
    ("CI_JOB_JWT", "ptvsc"), ("SESSION_COOKIE", "ptvsc"), ("cookie", "ptc"), ("Set-Cookie", "ptvc"), ("COOKIE_NAME", "pc"),
    ("Authorization", "ptc"), ("SMTP_AUTH", "ptsc"), ("BASIC_AUTH", "ptvsc"), ("AUTH_TYPE", "pc"), ("NPM_CONFIG__AUTH", "ptsc"),
    ("npm_config__auth", "ptsc"), ("GIT_AUTHOR_NAME", ""), ("AUTHORS", ""), ("AUTH0_DOMAIN", ""), ("SENTRY_DSN", "psc"),
    ("PASSWORD_SALT", "pvjsc"), ("SLACK_WEBHOOK_URL", "sc"), ("SQLCONNSTR_DB", "sc"), ("WEBHOOK_HMAC", "psc"), ("NPM_OTP", "ptsc"),
    ("X-Amz-Signature", "pc"), ("sig", "p"), ("code", "p"), ("NODE_EXTRA_CERT", "c"), ("TLS_PEM", "c"),
    // About secrets, and none. What is judged is asked about once too often, and what is confined does without.
    ("SSH_AUTH_SOCK", "pc"), ("XAUTHORITY", ""), ("PASSWORD_STORE_DIR", "pjc"), ("password-file", "pjc"), ("TOKENIZERS_PARALLELISM", "j"),
    ("GIT_ASKPASS", ""), ("SSH_ASKPASS", ""), ("MAX_TOKENS", "jc"), ("PATH", ""), ("HOME", ""), ("EDITOR", ""), ("DB_HOST", ""),
    ("page", ""), ("primary_key", "pc"), ("", ""), ("_", ""), ("42", ""), ("señal", ""),
];

fn contexts(name: &str) -> String {
    CONTEXTS
        .iter()
        .filter(|(_, context)| is_secret_name(name.as_bytes(), *context))
        .map(|(letter, _)| *letter)
        .collect()
}

#[test]
fn names_tell_by_their_context() {
    for (name, expected) in NAMES {
        assert_eq!(contexts(name), *expected, "{name}");
    }
}

#[test]
fn contexts_agree() {
    for (name, _) in NAMES.iter().filter(|(name, _)| !has_small_letters(name.as_bytes()) && !name.contains('-')) {
        let tells = |context| is_secret_name(name.as_bytes(), context);
        let is_judged = tells(Judged) || tells(Suspected);
        assert!(!tells(Variable) || is_judged, "{name} is taken out of texts, and may be shown unasked");
        assert!(!tells(Text) || is_judged, "{name} is masked, and may be shown unasked");
        assert!(!tells(Suspected) || tells(Confined), "{name} is asked about, and given to a confined command");
        // A name of an ordinary word is asked about alone.
        let is_ordinary = words(name.as_bytes()).any(|(_, word)| is_one_of(word, ORDINARY));
        assert!(
            !tells(Judged) || is_ordinary || tells(Confined),
            "{name} is a secret, and given to a confined command"
        );
    }
}

#[test]
fn each_word_is_there_once_and_in_capitals() {
    for rows in [ROWS, KEYS_OF] {
        for row in rows {
            assert!(!row.word.is_empty() && row.word == row.word.to_ascii_uppercase(), "{}", row.word);
            assert_eq!(rows.iter().filter(|other| other.word == row.word).count(), 1, "{}", row.word);
        }
    }
}
