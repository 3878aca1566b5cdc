//! What the names of variables tell: what a shell reads itself, what is run as code, what may hold a password.

use aish_programs::words::special_variables::{BEGINNINGS, ENDS, SETTABLE, TYPED};
use aish_programs::words::{Settable, addresses, variables};
use aish_types::{NameContext, is_secret_name};

use crate::command::glob_match;

/// Says what a special variable may be set to; none for a variable that no shell reads.
pub(crate) fn settable(name: &str) -> Option<Settable> {
    match SETTABLE.binary_search_by_key(&name, |(known, _)| known) {
        Ok(at) => SETTABLE.get(at).map(|(_, settable)| *settable),
        Err(_) => {
            let is_special = ENDS.iter().any(|end| name.ends_with(end)) || begins_with_one_of(name, BEGINNINGS);
            is_special.then_some(Settable::Not)
        }
    }
}

/// Says whether the value of a variable is a command, code, or what is loaded as code.
pub(crate) fn names_code(name: &str) -> bool {
    [variables::CODE, variables::SCRIPTS, variables::LOADERS].iter().any(|names| names.contains(&name))
        || variables::CODE_GLOBS.iter().any(|glob| glob_match(glob, name))
}

/// Says whether a variable is in the environment of most sessions, so that an assignment alone changes it for programs.
pub(crate) fn is_inherited(name: &str) -> bool {
    variables::INHERITED.contains(&name) || begins_with_one_of(name, variables::INHERITED_BEGINNINGS)
}

fn begins_with_one_of(name: &str, beginnings: &[&str]) -> bool {
    beginnings.iter().any(|beginning| name.starts_with(beginning))
}

/// Says whether the value of a variable that is not set in the line may hold a password, by its name.
pub(crate) fn may_hold_secret(name: &str) -> bool {
    is_secret_name(name.as_bytes(), NameContext::Suspected) || holds_address(name) || TYPED.contains(&name)
}

/// Says whether a variable holds an address that often has a password in it. Names with small letters are those of a script.
fn holds_address(name: &str) -> bool {
    if is_one_of(name, addresses::PROXIES) || contains(name, "CONNECTIONSTRING") || addresses::NAMES.contains(&name) {
        return true;
    }
    if name.bytes().any(|byte| byte.is_ascii_lowercase()) && !name.starts_with("npm_config_") {
        return false;
    }
    let words = || name.split('_').filter(|word| !word.is_empty());
    let is_service = |word: &str| {
        is_one_of(word, addresses::SERVICES)
            || word.len().checked_sub(2).and_then(|at| word.get(at..)).is_some_and(|end| end.eq_ignore_ascii_case("DB"))
            || addresses::SERVICE_PARTS.iter().any(|part| contains(word, part))
    };
    words().next_back().is_some_and(|last| is_one_of(last, addresses::ENDS))
        && words().any(|word| is_service(word) || is_one_of(word, &["CONN", "CONNECTION"]))
        && !words().any(|word| is_one_of(word, &["PUBLIC"]))
}

fn is_one_of(word: &str, known: &[&str]) -> bool {
    known.iter().any(|known| word.eq_ignore_ascii_case(known))
}

fn contains(name: &str, part: &str) -> bool {
    name.as_bytes().windows(part.len()).any(|window| window.eq_ignore_ascii_case(part.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_special_is_told() {
        for (name, expected) in [
            ("HISTFILESIZE", Some(Settable::Not)),
            ("precmd_functions", Some(Settable::Not)),
            ("fish_greeting", Some(Settable::Not)),
            ("OPTIND", Some(Settable::Numbers)),
            ("REPLY", Some(Settable::Freely)),
            ("name", None),
        ] {
            assert_eq!(settable(name), expected, "{name}");
        }
    }

    #[test]
    fn names_that_may_hold_a_password_are_told() {
        for name in
            "DATABASE_URL REDIS_URL MONGODB_URI AMQP_URL DSN SENTRY_DSN CONN_STR STRIPE_KEY JWT BASIC_AUTH PASS DB_PWD \
            SLACK_WEBHOOK_URL AZURE_STORAGE_CONNECTION_STRING SQLCONNSTR_DB http_proxy HTTPS_PROXY PIP_INDEX_URL \
            NPM_CONFIG__AUTH REDISTOGO_URL JAWSDB_URL ConnectionStrings__Default npm_config__auth GITHUB_PAT \
            REDISCLI_AUTH TS_AUTHKEY DEPLOY_KEY2"
                .split(' ')
        {
            assert!(may_hold_secret(name), "{name}");
        }
        let others = "PATH HOME PWD OLDPWD USER AUTHOR GIT_AUTHOR_NAME MONKEY KEYBOARD PUBLIC_KEY API_URL BASE_URL key KEY pass \
            url SSH_AUTH_SOCK AUTH_TYPE KEY_ID DB_HOST KEY_FILE CI_JOB_URL STRING CACHE_DIR _";
        for name in others.split(' ').chain([""]) {
            assert!(!may_hold_secret(name), "{name}");
        }
    }
}
