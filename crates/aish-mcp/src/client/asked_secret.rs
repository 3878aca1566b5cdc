//! Whether a server's form asks for a secret: then nobody is asked, whatever way the word is written.

use serde_json::Value;

/// Parts of a text of letters and digits alone: blanks, hyphens and what cannot be seen are no way round.
#[rustfmt::skip]
const PHRASES: &[&str] = &[
    "password", "passwd", "passphrase", "passcode", "passkey", "pincode", "passwort", "kennwort", "motdepasse",
    "contrasena", "contraseña", "senha", "wachtwoord", "lösenord", "hasło", "пароль", "密码", "密碼", "パスワード", "비밀번호",
    "secret", "apikey", "accesskey", "privatekey", "sshkey", "gpgkey", "pgpkey", "encryptionkey", "signingkey",
    "masterkey", "recoverykey", "licensekey", "token", "credential", "logindata", "logindetails", "seedphrase",
    "seedwords", "recoveryphrase", "recoverycode", "backupcode", "mnemonic", "wordphrase", "walletwords", "onetimecode",
    "verificationcode", "securitycode", "authenticationcode", "authenticatorcode", "authcode", "twofactor",
    "creditcard", "cardnumber", "debitcard", "socialsecurity", "keychain", "keystore", "sessioncookie", "authcookie",
    "idrsa", "ided25519",
];

/// Words that are secrets by themselves and parts of others too.
const WORDS: [&str; 14] =
    ["pin", "pins", "puk", "tan", "otp", "totp", "cvv", "cvc", "ssn", "mfa", "2fa", "pwd", "pswd", "jwt"];

/// Places that hold secrets.
const PLACES: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".netrc",
    ".pgpass",
    ".npmrc",
    ".pypirc",
    ".env",
    ".pem",
    ".git-credentials",
    ".docker/config.json",
    ".config/gh",
    ".config/gcloud",
    ".cargo/credentials",
    ".bash_history",
    "/etc/shadow",
    "/proc/self/environ",
];

/// Returns whether a question with a form asks for a secret: in what it says, or in a field's name, title or description.
pub(super) fn asks(message: &str, schema: &Value) -> bool {
    is_about_a_secret(message) || in_schema(schema)
}

fn in_schema(schema: &Value) -> bool {
    let Value::Object(fields) = schema else { return false };
    fields.iter().any(|(key, value)| match (key.as_str(), value) {
        ("title" | "description", Value::String(text)) => is_about_a_secret(text),
        ("format", Value::String(format)) => format == "password",
        ("writeOnly", Value::Bool(write_only)) => *write_only,
        ("properties", Value::Object(properties)) => {
            properties.iter().any(|(name, field)| is_about_a_secret(name) || in_schema(field))
        }
        ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => schemas.iter().any(in_schema),
        ("items", schema) => in_schema(schema),
        _ => false,
    })
}

fn is_about_a_secret(text: &str) -> bool {
    let written: String = text.chars().filter(|letter| !is_unseen(*letter)).collect();
    let text: String = written.chars().map(plain).collect();
    // `userPin`, `user_pin` and `PIN?` are words in a text that was taken apart at humps and at everything else.
    let parted = parted_at_humps(&text).to_lowercase();
    let mut words = parted.split(|letter: char| !letter.is_alphanumeric()).map(without_number);
    let text = text.to_lowercase();
    let read: String = text.chars().map(letter_of_sign).collect();
    // As it is written, in letters that look alike, and with signs for letters.
    let mut ways = [&written.to_lowercase(), &text, &read].map(|text| squeezed(text)).into_iter();
    ways.any(|way| PHRASES.iter().any(|phrase| way.contains(phrase)))
        || words.any(|word| WORDS.contains(&word))
        || PLACES.iter().any(|place| text.contains(place))
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).collect()
}

/// `pin2` is a `pin`, and `2fa` is itself.
fn without_number(word: &str) -> &str {
    let word_alone = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
    if word_alone.is_empty() { word } else { word_alone }
}

/// Puts a blank before each capital letter behind a small one.
fn parted_at_humps(text: &str) -> String {
    let mut parted = String::with_capacity(text.len());
    let mut before = ' ';
    for letter in text.chars() {
        if letter.is_uppercase() && before.is_lowercase() {
            parted.push(' ');
        }
        parted.push(letter);
        before = letter;
    }
    parted
}

/// The letter that a digit or sign is read as: `p@ssw0rd`.
fn letter_of_sign(sign: char) -> char {
    match sign {
        '0' => 'o',
        '1' | '!' | '|' => 'i',
        '3' | '€' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        letter => letter,
    }
}

/// Characters that take no place: soft hyphens, blanks without width, marks of direction, marks on letters.
fn is_unseen(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{300}'..='\u{36f}' | '\u{e0000}'..='\u{e0fff}')
        || letter.is_control() && !letter.is_whitespace()
}

/// The letter that one of another script or form is taken for.
fn plain(letter: char) -> char {
    let fullwidth = u32::from(letter).checked_sub(0xff01).filter(|offset| *offset < 94);
    if let Some(offset) = fullwidth {
        return char::from_u32(0x21 + offset).unwrap_or(letter);
    }
    match letter {
        'а' | 'А' | 'α' | 'Α' | 'ɑ' => 'a',
        'с' | 'С' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'Е' | 'ε' | 'Ε' | 'ё' => 'e',
        'һ' | 'Н' => 'h',
        'і' | 'І' | 'ι' | 'Ι' | 'ı' => 'i',
        'к' | 'К' | 'κ' | 'Κ' => 'k',
        'ո' | 'Ν' => 'n',
        'о' | 'О' | 'ο' | 'Ο' | 'օ' => 'o',
        'р' | 'Р' | 'ρ' | 'Ρ' => 'p',
        'ѕ' | 'Ѕ' => 's',
        'т' | 'Т' | 'τ' | 'Τ' => 't',
        'ԝ' | 'ѡ' => 'w',
        'у' | 'У' | 'Υ' => 'y',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn field(name: &str, told: &str) -> Value {
        json!({"type": "object", "properties": {name: {"type": "string", "title": told}}})
    }

    #[test]
    fn no_spelling_of_a_secret_is_a_way_round() {
        for words in [
            "Password",
            "pa\u{200b}ssword",
            "p a s s w o r d",
            "pass-word",
            "ｐａｓｓｗｏｒｄ",
            "раssword",
            "pa\u{301}ssword",
            "Your PIN, please",
            "the PIN?",
            "seed phrase of your wallet",
            "12-word recovery phrase",
            "content of ~/.ssh/id_rsa",
            "paste your .env here",
            "One-time code",
            "API key",
            "Kennwort",
            "userPin",
            "newPINCode",
            "pincode",
            "PIN2",
            "cvc2",
            "p@ssw0rd",
            "pa$$word",
            "t0ken",
            "Введите пароль",
            "请输入密码",
            "your 12-word phrase",
            "~/.config/gh/hosts.yml",
            "JWT",
            "credit card number",
            "CVV",
        ] {
            assert!(asks(words, &json!({})), "{words}");
            assert!(asks("Sign in", &field("x", words)), "{words}");
            assert!(asks("Sign in", &field(words, "x")), "{words}");
        }
        assert!(asks("", &json!({"properties": {"x": {"type": "string", "format": "password"}}})));
        assert!(asks("", &json!({"properties": {"x": {"type": "array", "items": {"title": "a PIN"}}}})));
    }

    #[test]
    fn ordinary_questions_are_put() {
        for words in [
            "Which branch?",
            "Spinning wheels, pinned tabs and tangents",
            "Where should the report be written?",
            "opinion on the environment",
            "keyboard layout",
            "a key point of the story",
            "spinCount",
            "3 of 7 shards, 100% done!",
            "tan2h of an angle, in standard form",
        ] {
            assert!(!asks(words, &field("branch", words)), "{words}");
        }
    }
}
