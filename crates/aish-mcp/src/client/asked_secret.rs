//! Whether a server's form asks for a secret: then nobody is asked, whatever way the word is written.

use serde_json::Value;

/// Parts of a text of letters and digits alone, without accents: blanks, hyphens and what cannot be seen are no way round.
#[rustfmt::skip]
const PHRASES: &[&str] = &[
    "password", "passwd", "passphrase", "passcode", "passkey", "pasword", "passwrd", "pssword",
    "secret", "apikey", "accesskey", "privatekey", "privkey", "sshkey", "gpgkey", "pgpkey", "encryptionkey", "decryptionkey",
    "signingkey", "masterkey", "recoverykey", "licensekey", "deploykey", "token", "credential", "bearer",
    "logindata", "logindetails", "seedphrase", "seedwords", "recoveryphrase", "recoverycode", "recoverywords", "backupcode",
    "mnemonic", "wordphrase", "walletwords", "onetimecode", "verificationcode", "securitycode", "authenticationcode", "authenticator",
    "authcode", "authorizationcode", "accesscode", "logincode", "signincode", "confirmationcode",
    "unlockcode", "smscode", "digitcode", "pincode", "codewesent", "codewetexted", "codewassent", "twofactor",
    "creditcard", "cardnumber", "debitcard", "bankaccount", "routingnumber", "socialsecurity", "passportnumber",
    "maidenname", "securityquestion", "securityanswer", "connectionstring", "keychain", "keystore", "kubeconfig",
    "sessioncookie", "authcookie", "idrsa", "ided25519", "idecdsa", "iddsa",
    // German, Dutch
    "passwort", "passwoert", "kennwort", "zugangsdaten", "anmeldedaten", "zugangscode", "einmalcode",
    "sicherheitscode", "bestatigungscode", "verifizierungscode", "wiederherstellungscode",
    "privatenschlussel", "privaterschlussel", "apischlussel", "kreditkarte", "wachtwoord", "wagwoord", "inloggegevens",
    "toegangscode", "beveiligingscode", "verificatiecode", "privesleutel", "apisleutel",
    // French, Spanish, Portuguese, Catalan, Galician, Basque, Italian, Romanian
    "motdepasse", "cleprivee", "clefprivee", "cleapi", "clefapi", "cledapi", "identifiantsdeconnexion", "codepin", "codedeverification",
    "codedesecurite", "cartebancaire", "cartedecredit", "numerodecarte", "claveprivada", "clavedeacceso",
    "clavedeapi", "claveapi", "codigodeverificacion", "codigodeseguridad", "frasesemilla", "tarjetadecredito",
    "chaveprivada", "chavedeapi", "chaveapi", "chavedeacesso", "codigodeseguranca", "codigodeverificacao",
    "cartaodecredito", "palavrapasse", "contrasinal", "pasahitz", "paroladordine", "chiaveprivata", "chiaveapi",
    "chiavedaccesso", "codicedisicurezza", "codicediverifica", "credenzial", "cartadicredito",
    // The north, Poland, Bohemia, Hungary, the south-east, Turkey
    "losenkod", "engangskod", "adgangskode", "pinkod", "lykilord",
    "tunnusluku", "slaptazod", "kluczprywatny", "kluczapi", "danelogowania",
    "kodweryfikacyjny", "soukromyklic", "prihlasovaciudaje",
    "fjalekalim", "gizlianahtar", "ozelanahtar", "dogrulamakodu", "κωδικόςπρόσβασης", "κωδικόπρόσβασης", "συνθηματικ", "μυστικ",
    // Cyrillic
    "пароль", "пароля", "пароли", "парола", "секрет", "токен", "пинкод", "закрытыйключ", "приватныйключ", "ключapi", "apiключ",
    "ключдоступа", "кодподтверждения", "кодизсмс", "кодизsms", "одноразовыйкод", "учетныеданные", "учётныеданные",
    "мнемоник", "сидфраз", "таємн", "лозинк",
    // Chinese, Japanese, Korean
    "密码", "密碼", "口令", "密钥", "密鑰", "秘钥", "私钥", "私鑰", "令牌", "验证码", "驗證碼", "校验码", "动态码", "安全码", "助记词", "助記詞",
    "凭证", "凭据", "憑證", "信用卡", "パスワード", "ﾊﾟｽﾜｰﾄ", "パスフレーズ", "パスコード", "暗証番号", "秘密", "合言葉", "認証コード",
    "確認コード", "シークレット", "トークン", "apiキー", "資格情報", "クレジットカード", "비밀번호", "암호를", "암호가", "암호는", "패스워드", "비밀키", "개인키",
    "인증번호", "인증코드", "보안코드", "토큰", "시드구문", "시드문구", "신용카드",
    // Arabic, Persian, Urdu, Hebrew, Hindi, Thai, Vietnamese, Indonesian, Malay, Swahili
    "كلمةالمرور", "كلمةمرور", "كلمةالسر", "كلمةسر", "رمزالتحقق", "الرمزالسري", "رمزسري", "رمزعبور", "گذرواژه", "کلمهعبور", "پاسورڈ",
    "סיסמ", "ססמ", "קודסודי", "מפתחפרטי", "पासवरड", "गुपत", "รหัสผาน", "matkhau", "maxacthuc", "khoabimat",
    "katasandi", "katalaluan", "rahasia", "kodeverifikasi", "nenosiri", "nywila",
];

/// Parts of a word without accents; across words they may stand by chance (`the slope`).
#[rustfmt::skip]
const PARTS: &[&str] = &[
    "geheim", "jeton", "contrasen", "credencia", "senha", "segret", "losenord", "hemlig", "hemmelig", "passord", "kodeord",
    "salasana", "salainen", "parool", "haslo", "hasla", "heslo", "jelszo", "titkos", "lozink", "zapork", "geslo", "sifre",
];

/// Words that are secrets by themselves and parts of others too.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "pin", "pins", "puk", "tan", "otp", "totp", "cvv", "cvc", "ssn", "iban", "mfa", "2fa", "pwd", "pswd", "psw", "pw", "jwt",
    "creds", "clave", "claves", "parola", "parolu", "sandi", "пин", "κωδικός", "κωδικό", "암호", "पिन", "ओटीपी",
];

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
    let text: String = written.replace(['ß', 'ẞ'], "ss").chars().map(plain).collect();
    // `userPin`, `user_pin` and `PIN?` are words in a text that was taken apart at humps and at everything else.
    let has_word = |text: &str, is_one: &dyn Fn(&str) -> bool| {
        let parted = parted_at_humps(text).to_lowercase();
        parted.split(|letter: char| !letter.is_alphanumeric()).map(without_number).any(is_one)
    };
    let is_secret = |word: &str| WORDS.contains(&word);
    let has_words = has_word(&written, &is_secret)
        || has_word(&text, &|word| is_secret(word) || PARTS.iter().any(|part| word.contains(part)));
    let text = text.to_lowercase();
    let read: String = text.chars().map(letter_of_sign).collect();
    // As it is written, in letters that look alike, and with signs for letters.
    let mut ways = [&written.to_lowercase(), &text, &read].map(|text| squeezed(text)).into_iter();
    ways.any(|way| PHRASES.iter().any(|phrase| way.contains(phrase)))
        || has_words
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
        '5' | '$' | '§' => 's',
        '7' | '+' => 't',
        '8' => 'b',
        letter => letter,
    }
}

/// Characters that take no place: soft hyphens, blanks without width, marks of direction, marks on letters.
fn is_unseen(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}'
        | '\u{fe20}'..='\u{fe2f}' | '\u{591}'..='\u{5c7}' | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{e0000}'..='\u{e0fff}')
        || letter.is_control() && !letter.is_whitespace()
}

/// Letters that stand in a row for those of the alphabet: where the row begins, where it ends, and its first letter.
const ROWS: [(u32, u32, char); 8] = [
    (0xff21, 0xff3a, 'a'),
    (0xff41, 0xff5a, 'a'),
    (0x249c, 0x24b5, 'a'),
    (0x24b6, 0x24cf, 'a'),
    (0x24d0, 0x24e9, 'a'),
    (0x1f130, 0x1f149, 'a'),
    (0x1f150, 0x1f169, 'a'),
    (0x1f170, 0x1f189, 'a'),
];

/// Letters that are taken for one of the alphabet: with accents, of other scripts, small capitals.
#[rustfmt::skip]
const ALIKE: [(char, &str); 26] = [
    ('a', "àáâãäåāăąǎȧạảấầẩẫậắằẳẵặаАαΑɑᴀаᎪꓮªᵃ"), ('b', "ḃвВβΒʙᏴꓐƀᵇЬ"), ('c', "ℂçćĉċčсСϲᴄⅽᏟꓚ¢©ᶜ"),
    ('d', "ďđḋḍðԁᴅⅾᎠꓓᵈ"), ('e', "ℯℰèéêëēĕėęěẹẻẽếềểễệеЕεΕёᴇᎬꓰєᵉ"), ('f', "ƒꜰꓝℱᶠ"), ('g', "ĝğġģɡɢցᏀꓖᵍ"), ('h', "ĥħḣһНнΗʜհᎻꓧʰ"),
    ('i', "ìíîïĩīĭįıǐỉịіІιΙɪᎥꓲⅰӏӀⁱ"), ('j', "ĵјЈᴊꓙʲ"), ('k', "ķкКκΚᴋᏦꓗᵏ"), ('l', "ℓℒĺļľŀłʟⅼꓡˡ"), ('m', "ℳṁмМΜᴍⅿᎷꓟᵐ"),
    ('n', "ℕñńņňŋոΝɴꓠпⁿ"), ('o', "ℴòóôõöøōŏőơọỏốồổỗộớờởỡợоОοΟօᴏꓳσºᵒ"), ('p', "ℙṕṗþрРρΡᴘᏢꓑᵖ"), ('q', "ԛզꞯ"), ('r', "ℝℛŕŗřṙгʀᎡꓣ®ʳ"),
    ('s', "ſśŝşšșṡṣѕЅꜱᏚꓢՏˢ"), ('t', "ţťŧțṫтТτΤᴛᎢꓔᵗ"), ('u', "ùúûüũūŭůűųưụủứừửữựսυᴜꓴµᵘ"), ('v', "ѵνᴠⅴꓦᵛ"),
    ('w', "ŵẁẃẅԝѡωᴡᎳꓪʷ"), ('x', "хХχΧⅹꓫˣ"), ('y', "ýÿŷỳỵỷỹуУΥʏᎽꓬʸ"), ('z', "źżžΖᴢᏃꓜᶻ"),
];

/// The letter that one of another script or form is taken for, small.
fn plain(letter: char) -> char {
    if letter.is_ascii() {
        return letter;
    }
    let code = u32::from(letter);
    let from = |first: char, offset: u32| char::from_u32(u32::from(first) + offset).unwrap_or(letter);
    if let Some((begin, _, first)) = ROWS.iter().find(|(begin, end, _)| (begin..=end).contains(&&code)) {
        return from(*first, code - begin);
    }
    match code {
        // Signs and digits as wide as a character of Chinese.
        0xff01..=0xff5e => return from('!', code - 0xff01),
        // The alphabets of mathematics, 13 of capital and small letters each, and their digits.
        0x1d400..=0x1d6a3 => return from('a', (code - 0x1d400) % 26),
        0x1d7ce..=0x1d7ff => return from('0', (code - 0x1d7ce) % 10),
        _ => {}
    }
    let small = letter.to_lowercase().next().unwrap_or(letter);
    let alike = ALIKE.iter().find(|(_, all)| all.contains(letter) || all.contains(small));
    alike.map_or(letter, |(plain, _)| *plain)
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
            "Geheimwort",
            "PASSWÖRT? Ihr Paßwort, bitte",
            "Zugangsdaten",
            "Mot de passe",
            "clé d’API",
            "contraseña",
            "tu clave",
            "Palavra-passe",
            "la tua parola d'ordine",
            "lösenord",
            "Lo\u{308}senord",
            "Hasło",
            "jelszó",
            "Şifre",
            "mật khẩu",
            "κωδικός πρόσβασης",
            "секретный ключ",
            "ПАРОЛЬ",
            "验证码",
            "パスワード",
            "ﾊﾟｽﾜｰﾄﾞ",
            "暗証番号",
            "암호를 입력",
            "암호",
            "كلمة المرور",
            "كَلِمَة السِّر",
            "סיסמה",
            "पासवर्ड",
            "รหัสผ่าน",
            "kata sandi",
            "pässwörd",
            "𝐩𝐚𝐬𝐬𝐰𝐨𝐫𝐝",
            "𝒫assword",
            "ⓟⓐⓢⓢⓦⓞⓡⓓ",
            "🅿🅰🆂🆂🆆🅾🆁🅳",
            "ᴘᴀꜱꜱᴡᴏʀᴅ",
            "ꓑꓮꓢꓢꓪꓳꓣꓓ",
            "ᏢᎪᏚᏚᎳord",
            "τοκеп",
            "pa§§word",
            "ｓｅｃｒｅｔ",
            "the 6-digit code we texted you",
            "code from your authenticator app",
            "mother's maiden name",
            "DB connection string",
            "~/.ssh/id_ecdsa",
        ] {
            assert!(asks(words, &json!({})), "{words}");
            assert!(asks("Sign in", &field("x", words)), "{words}");
            assert!(asks("Sign in", &field(words, "x")), "{words}");
        }
        assert!(asks("", &json!({"properties": {"x": {"type": "string", "format": "password"}}})));
        assert!(asks("", &json!({"properties": {"x": {"type": "array", "items": {"title": "a PIN"}}}})));
    }

    #[test]
    fn phrases_are_written_as_texts_are_read() {
        for phrase in PHRASES {
            assert_eq!(squeezed(phrase), *phrase, "nothing would be found by it");
            let latin = phrase.chars().all(|letter| letter < '\u{250}');
            assert!(!latin || phrase.is_ascii(), "{phrase} has accents");
        }
        assert!(PARTS.iter().all(|part| part.is_ascii()));
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
            "Wie soll der Bericht heißen?",
            "Quel est le nom de la branche ?",
            "¿Qué archivo?",
            "Какую ветку взять?",
            "选择一个文件夹",
            "Did all tests pass? Has lots of them, images loaded, and the slope of them lightly",
            "Pass orders on, if the chosen hash is known",
            "암호화 방식",
            "the code of the country",
            "sort key and partition key",
        ] {
            assert!(!asks(words, &field("branch", words)), "{words}");
        }
    }
}
