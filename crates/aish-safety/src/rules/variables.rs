//! Names of variables whose values often hold a password: addresses of services, what logs in somewhere.

use aish_types::{NameContext, is_secret_name};

/// Services whose addresses are written with a password.
const SERVICES: &[&str] = &[
    "DATABASE",
    "DB",
    "REDIS",
    "MONGO",
    "MONGODB",
    "MYSQL",
    "MARIADB",
    "POSTGRES",
    "POSTGRESQL",
    "PG",
    "AMQP",
    "RABBITMQ",
    "CLOUDAMQP",
    "CELERY",
    "BROKER",
    "KAFKA",
    "ELASTICSEARCH",
    "ELASTIC",
    "OPENSEARCH",
    "SMTP",
    "MAIL",
    "MAILER",
    "EMAIL",
    "LDAP",
    "SENTRY",
    "MEMCACHE",
    "MEMCACHED",
    "CLICKHOUSE",
    "NEO4J",
    "COUCHDB",
    "CASSANDRA",
    "INFLUXDB",
    "SQLALCHEMY",
    "JDBC",
    "CACHE",
    "QUEUE",
    "NATS",
    "MQTT",
    "SLACK",
    "DISCORD",
    "TEAMS",
    "CLOUDINARY",
    "DATASOURCE",
    "INDEX",
    "PROXY",
    "SEARCHBOX",
    "BONSAI",
    "ALCHEMY",
];

/// Parts of words that name one: `REDISTOGO_URL`, `JAWSDB_URL`.
const SERVICE_PARTS: &[&str] = &["REDIS", "MONGO", "SQL", "RABBIT"];

/// What the name of an address ends with.
const ADDRESSES: &[&str] = &["URL", "URI", "URLS", "DSN", "CONN", "CONNECTION", "STRING", "STR"];

/// Variables that name a server in front of others, in both spellings.
const PROXIES: &[&str] = &["http_proxy", "https_proxy", "all_proxy", "ftp_proxy", "GOPROXY"];

/// Says whether the value of a variable that is not set in the line may hold a password, by its name.
pub(crate) fn may_hold_secret(name: &str) -> bool {
    is_secret_name(name.as_bytes(), NameContext::Suspected) || holds_address(name)
}

/// Says whether a variable holds an address that often has a password in it. Names with small letters are those of a script.
fn holds_address(name: &str) -> bool {
    if is_one_of(name, PROXIES)
        || contains(name, "CONNECTIONSTRING")
        || matches!(name, "PGURI" | "PGURL" | "CELERY_RESULT_BACKEND")
    {
        return true;
    }
    if name.bytes().any(|byte| byte.is_ascii_lowercase()) && !name.starts_with("npm_config_") {
        return false;
    }
    let words = || name.split('_').filter(|word| !word.is_empty());
    let is_service = |word: &str| {
        is_one_of(word, SERVICES)
            || word.len().checked_sub(2).and_then(|at| word.get(at..)).is_some_and(|end| end.eq_ignore_ascii_case("DB"))
            || SERVICE_PARTS.iter().any(|part| contains(word, part))
    };
    words().next_back().is_some_and(|last| is_one_of(last, ADDRESSES))
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
    fn names_that_may_hold_a_password_are_told() {
        for name in [
            "DATABASE_URL",
            "REDIS_URL",
            "MONGODB_URI",
            "AMQP_URL",
            "DSN",
            "SENTRY_DSN",
            "CONN_STR",
            "STRIPE_KEY",
            "JWT",
            "BASIC_AUTH",
            "PASS",
            "DB_PWD",
            "SLACK_WEBHOOK_URL",
            "AZURE_STORAGE_CONNECTION_STRING",
            "SQLCONNSTR_DB",
            "http_proxy",
            "HTTPS_PROXY",
            "PIP_INDEX_URL",
            "NPM_CONFIG__AUTH",
            "REDISTOGO_URL",
            "JAWSDB_URL",
            "ConnectionStrings__Default",
            "npm_config__auth",
            "GITHUB_PAT",
            "REDISCLI_AUTH",
            "TS_AUTHKEY",
            "DEPLOY_KEY2",
        ] {
            assert!(may_hold_secret(name), "{name}");
        }
        for name in [
            "PATH",
            "HOME",
            "PWD",
            "OLDPWD",
            "USER",
            "AUTHOR",
            "GIT_AUTHOR_NAME",
            "MONKEY",
            "KEYBOARD",
            "PUBLIC_KEY",
            "API_URL",
            "BASE_URL",
            "key",
            "KEY",
            "pass",
            "url",
            "SSH_AUTH_SOCK",
            "AUTH_TYPE",
            "KEY_ID",
            "DB_HOST",
            "KEY_FILE",
            "CI_JOB_URL",
            "",
            "STRING",
            "CACHE_DIR",
            "_",
        ] {
            assert!(!may_hold_secret(name), "{name}");
        }
    }
}
