//! Hugging Face's API: the list of a repository's files, with the sums of the large ones
//! (`GET /api/models/OWNER/REPO/tree/main`), and the files themselves (`GET /OWNER/REPO/resolve/main/PATH`).

use reqwest::Client;
use reqwest::header::LINK;
use serde::Deserialize;

use super::download::Remote;
use super::reference::is_part;
use super::site::{self, Site, Wish};
use super::{Offer, PullError};

/// Pages of a list at most, of up to 1,000 files each.
const PAGES: usize = 20;
/// What is taken when nobody names another, in this order: small, and hardly worse than the whole.
const LIKED: [&str; 4] = ["Q4_K_M", "Q4_K_S", "Q5_K_M", "Q8_0"];
/// Files that are named in a message at most.
const NAMED: usize = 30;

#[derive(Debug, Clone, Deserialize)]
struct Entry {
    #[serde(default)]
    path: String,
    lfs: Option<Lfs>,
}

#[derive(Debug, Clone, Deserialize)]
struct Lfs {
    oid: String,
    size: u64,
}

/// Finds the file of a repository that was meant.
pub(crate) async fn find(
    client: &Client,
    site: &Site,
    repository: &str,
    quant: Option<&str>,
) -> Result<Offer, PullError> {
    let entries = list(client, site, repository).await?;
    let entry = pick(&entries, repository, quant)?;
    let lfs = entry.lfs.as_ref().ok_or_else(|| PullError::NoSum(entry.path.clone()))?;
    let stem = stem(&entry.path).ok_or_else(|| PullError::BadName(entry.path.clone()))?;
    let parts = repository.split('/').chain(["resolve", "main"]).chain(entry.path.split('/'));
    let remote =
        Remote { url: site.at(parts)?, sha256: Some(lfs.oid.clone()), size: Some(lfs.size), site: Some(site.clone()) };
    Ok(Offer { name: stem.to_owned(), remote })
}

async fn list(client: &Client, site: &Site, repository: &str) -> Result<Vec<Entry>, PullError> {
    let parts = ["api", "models"].into_iter().chain(repository.split('/')).chain(["tree", "main"]);
    let mut url = site.at(parts)?;
    url.set_query(Some("recursive=true"));
    let mut entries = Vec::new();
    for _ in 0..PAGES {
        let wish = Wish { site: Some(site), accept: Some("application/json"), from: 0 };
        let response = site::get(client, &url, wish).await?;
        if !response.status().is_success() {
            return Err(site::refused(&response, Some("HF_TOKEN")));
        }
        let next = response.headers().get(LINK).and_then(|link| next_page(link.to_str().ok()?));
        let host = crate::network::without_password(url.as_str());
        let text = site::text(response).await?;
        let page: Vec<Entry> = serde_json::from_str(&text).map_err(|error| PullError::NotThere {
            host,
            cause: format!("its list of files cannot be read: {error}"),
        })?;
        entries.extend(page);
        // The next page is of the same place, or none.
        match next.and_then(|next| url.join(&next).ok()).filter(|next| next.origin() == site.base.origin()) {
            Some(next) => url = next,
            None => break,
        }
    }
    Ok(entries)
}

/// Reads `<https://…?cursor=…>; rel="next"`.
fn next_page(link: &str) -> Option<String> {
    let next = link.split(',').find(|part| part.contains("rel=\"next\""))?;
    Some(next.split_once('<')?.1.split_once('>')?.0.to_owned())
}

/// Picks the file: the wanted kind, else the one that is liked best.
fn pick<'a>(entries: &'a [Entry], repository: &str, quant: Option<&str>) -> Result<&'a Entry, PullError> {
    let models: Vec<&Entry> = entries.iter().filter(|entry| is_model(&entry.path)).collect();
    let whole: Vec<&Entry> = models.iter().copied().filter(|entry| !is_piece(&entry.path)).collect();
    let of = |kind: &str| whole.iter().copied().find(|entry| has_kind(&entry.path, kind));
    let found = match quant {
        Some(kind) => of(kind),
        None => LIKED.iter().find_map(|kind| of(kind)).or(if whole.len() == 1 { whole.first().copied() } else { None }),
    };
    found.ok_or_else(|| {
        let in_pieces = quant.is_some_and(|kind| models.iter().any(|entry| has_kind(&entry.path, kind)));
        let names = whole.iter().take(NAMED).map(|entry| entry.path.clone()).collect();
        PullError::NoSuchFile { repository: repository.to_owned(), in_pieces, names }
    })
}

fn is_model(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    name.ends_with(".gguf") && !name.starts_with("mmproj") && !name.contains("imatrix")
}

/// Recognises one of several pieces: `…-00001-of-00003.gguf`.
fn is_piece(path: &str) -> bool {
    let Some(stem) = path.strip_suffix(".gguf") else { return false };
    let mut parts = stem.rsplit('-');
    let (last, of, number) = (parts.next(), parts.next(), parts.next());
    let digits =
        |part: Option<&str>| part.is_some_and(|part| part.len() == 5 && part.bytes().all(|byte| byte.is_ascii_digit()));
    of == Some("of") && digits(last) && digits(number)
}

/// Returns whether a file's name ends with a kind, as in `model-q4_k_m.gguf` and `model.Q4_K_M.gguf`.
fn has_kind(path: &str, kind: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let kind = kind.to_ascii_lowercase();
    let stem = name.strip_suffix(".gguf").unwrap_or(&name);
    let stem = if is_piece(&name) { stem.rsplitn(4, '-').nth(3).unwrap_or(stem) } else { stem };
    stem.strip_suffix(&kind).is_some_and(|rest| rest.is_empty() || rest.ends_with(['-', '.']))
}

/// Returns the name under which a file is kept; none for a path that is no plain one.
fn stem(path: &str) -> Option<&str> {
    let mut parts = path.split('/');
    let stem = parts.next_back()?.strip_suffix(".gguf").or_else(|| path.rsplit('/').next()?.strip_suffix(".GGUF"))?;
    (is_part(stem) && parts.all(is_part)).then_some(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str) -> Entry {
        Entry { path: path.into(), lfs: Some(Lfs { oid: "ab".into(), size: 1 }) }
    }

    #[test]
    fn the_wanted_kind_is_picked_and_a_good_one_where_none_is_wanted() {
        let entries = [
            "README.md",
            "mmproj-model-Q4_K_M.gguf",
            "model-Q8_0.gguf",
            "model-IQ4_K_M.gguf",
            "model.q4_k_m.gguf",
            "model-Q6_K_L.gguf",
            "model-Q6_K.gguf",
            "model-bf16-00001-of-00002.gguf",
            "model-bf16-00002-of-00002.gguf",
        ]
        .map(entry);
        let pick = |quant| pick(&entries, "a/b", quant).map(|entry| entry.path.as_str());
        assert_eq!(pick(None).unwrap(), "model.q4_k_m.gguf");
        assert_eq!(pick(Some("Q6_K")).unwrap(), "model-Q6_K.gguf");
        assert_eq!(pick(Some("q8_0")).unwrap(), "model-Q8_0.gguf");
        assert!(matches!(pick(Some("bf16")), Err(PullError::NoSuchFile { in_pieces: true, .. })));
        let Err(PullError::NoSuchFile { in_pieces: false, names, .. }) = pick(Some("K")) else { panic!() };
        assert_eq!(names.len(), 5);
        let one = [entry("only.gguf")];
        assert_eq!(super::pick(&one, "a/b", None).unwrap().path, "only.gguf");
    }

    #[test]
    fn a_path_that_is_no_plain_one_gives_no_name() {
        assert_eq!(stem("folder/model-Q4.gguf"), Some("model-Q4"));
        for path in [
            "../model.gguf",
            "a/../model.gguf",
            "/etc/model.gguf",
            "a//b.gguf",
            ".gguf",
            "..gguf",
            "a\\b.gguf",
            "a b.gguf",
            "x.bin",
        ] {
            assert_eq!(stem(path), None, "{path}");
        }
    }

    #[test]
    fn the_next_page_is_read_from_its_header() {
        let link = "<https://h/x?cursor=a>; rel=\"next\", <https://h/y>; rel=\"prev\"";
        assert_eq!(next_page(link).as_deref(), Some("https://h/x?cursor=a"));
        assert_eq!(next_page("<https://h/y>; rel=\"prev\""), None);
    }
}
