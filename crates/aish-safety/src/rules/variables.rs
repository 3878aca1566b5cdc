//! Names of variables whose values often hold a password: addresses of services, what logs in somewhere.

/// Words of names, in capitals, of which the value is a secret.
const SECRET: &[&str] = &[
    "PASS",
    "PGPASS",
    "SSHPASS",
    "PSK",
    "PWD",
    "PW",
    "PAT",
    "PIN",
    "DSN",
    "JWT",
    "BEARER",
    "AUTH",
    "AUTHORIZATION",
    "COOKIE",
    "CREDS",
    "CRED",
    "KEY",
    "KEYS",
    "PRIVATE",
    "HMAC",
    "SALT",
    "MNEMONIC",
    "SAS",
    "WEBHOOK",
    "CONNSTR",
    "SQLCONNSTR",
    "MYSQLCONNSTR",
    "DBPASS",
    "DBPASSWD",
    "DBPWD",
    "USERPWD",
    "OTP",
    "TOTP",
];

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

/// The end of a name that is about a secret and holds none: where it is, how it is called, how long it is.
const ABOUT: &[&str] = &[
    "PATH",
    "FILE",
    "DIR",
    "FOLDER",
    "HOST",
    "PORT",
    "NAME",
    "USER",
    "USERNAME",
    "LEN",
    "LENGTH",
    "SIZE",
    "COUNT",
    "TYPE",
    "SOCK",
    "ENABLED",
    "VERSION",
    "ALGORITHM",
    "TTL",
    "EXPIRY",
    "ID",
    "METHOD",
    "MODE",
];

/// Variables that name a server in front of others, in both spellings.
const PROXIES: &[&str] = &["http_proxy", "https_proxy", "all_proxy", "ftp_proxy", "GOPROXY"];

/// Says whether the value of a variable that is not set in the line may hold a password, by its name. Names with small
/// letters are those of a script.
pub(crate) fn may_hold_secret(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    if PROXIES.iter().any(|proxy| name.eq_ignore_ascii_case(proxy))
        || upper.contains("CONNECTIONSTRING")
        || matches!(name, "PGURI" | "PGURL" | "CELERY_RESULT_BACKEND")
    {
        return true;
    }
    if name.bytes().any(|byte| byte.is_ascii_lowercase()) && !name.starts_with("npm_config_")
        || matches!(name, "PWD" | "OLDPWD" | "KEY" | "KEYS")
    {
        return false;
    }
    let words = || upper.split('_').filter(|word| !word.is_empty());
    let Some(last) = words().next_back() else { return false };
    let has = |list: &[&str]| words().any(|word| list.contains(&word));
    if ABOUT.contains(&last) || words().any(|word| word == "PUBLIC") {
        return false;
    }
    let is_service = |word: &str| {
        SERVICES.contains(&word) || word.ends_with("DB") || SERVICE_PARTS.iter().any(|part| word.contains(part))
    };
    let is_connection = |word: &str| matches!(word, "CONN" | "CONNECTION");
    has(SECRET) || ADDRESSES.contains(&last) && words().any(|word| is_service(word) || is_connection(word))
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
