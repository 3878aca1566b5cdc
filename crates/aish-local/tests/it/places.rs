//! Models from Hugging Face and Ollama's registry, as servers on this machine speak for them.

use std::time::Duration;

use aish_local::{Models, Network, Progress, PullError, Room, Site, Sources, pull};
use serde_json::json;

use crate::fake_site::{Answer, Asked, FakeSite, gguf, sum};

const SIZE: usize = 200_000;
const TREE: &str = "/api/models/o/r/tree/main?recursive=true";
const FILE: &str = "/o/r/resolve/main/m-Q4_K_M.gguf";

/// Where the tests keep models, and where they come from.
struct Place {
    data: tempfile::TempDir,
    sources: Sources,
    seen: Vec<Progress>,
}

impl Place {
    fn new(site: &FakeSite) -> Self {
        let address = |token: Option<&str>| {
            Site::new(&site.url, token.map(|token| aish_types::Secret::new(token.to_owned()))).unwrap()
        };
        let network = Network { patience: Duration::from_secs(20), ..Network::default() };
        let (hub, ollama) = (address(Some("hf_secret")), address(None));
        let sources = Sources { network, hub, ollama, room: Some(Room::default()) };
        Self { data: tempfile::tempdir().unwrap(), sources, seen: Vec::new() }
    }

    fn models(&self) -> Models {
        Models::new(self.data.path())
    }

    /// Fetches a model; returns its name and its bytes.
    async fn pull(&mut self, name: &str) -> Result<(String, Vec<u8>), PullError> {
        let models = self.models();
        let seen = &mut self.seen;
        let model = pull(&models, name, &self.sources, &mut |progress| seen.push(progress)).await?;
        Ok((model.name, std::fs::read(model.path).unwrap()))
    }

    /// The names of all files in the models' folder.
    fn files(&self) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.models().folder()) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

fn tree(path: &str, bytes: &[u8]) -> Answer {
    let files = json!([
        {"type": "file", "path": "README.md", "size": 10, "oid": "1"},
        {"type": "directory", "path": "old", "size": 0, "oid": "2"},
        {"type": "file", "path": path, "size": bytes.len(), "oid": "3",
         "lfs": {"oid": sum(bytes), "size": bytes.len(), "pointerSize": 134}},
    ]);
    Answer::new(200, files.to_string()).with("Content-Type", "application/json")
}

/// A hub with one model, whose file is answered by a function.
async fn hub(mut file: impl FnMut(&Asked) -> Answer + Send + 'static) -> FakeSite {
    FakeSite::serve(move |asked| match asked.path.as_str() {
        TREE => tree("m-Q4_K_M.gguf", &gguf(SIZE)),
        FILE => file(asked),
        _ => Answer::new(404, "no"),
    })
    .await
}

#[tokio::test]
async fn a_model_of_the_hub_is_fetched_once() {
    let site = hub(|asked| Answer::file(&gguf(SIZE), asked)).await;
    let mut place = Place::new(&site);
    assert_eq!(place.pull("hf:o/r:Q4_K_M").await.unwrap(), ("m-Q4_K_M".into(), gguf(SIZE)));
    assert_eq!(place.seen.first(), Some(&Progress::Index));
    assert!(place.seen.contains(&Progress::Download { done: SIZE as u64, total: Some(SIZE as u64) }));
    place.pull("hf:o/r").await.unwrap();
    let paths: Vec<String> = site.asked().into_iter().map(|asked| asked.path).collect();
    assert_eq!(paths, [TREE, FILE, TREE], "the second time its sum is compared, and nothing is fetched");
    assert!(site.asked().iter().all(|asked| asked.token.as_deref() == Some("Bearer hf_secret")));
    assert_eq!(place.files(), ["m-Q4_K_M.gguf"]);
}

#[tokio::test]
async fn a_token_does_not_follow_a_redirect_to_another_host() {
    let cdn = FakeSite::serve(|asked| Answer::file(&gguf(SIZE), asked)).await;
    let to = format!("{}/blob?signature=x", cdn.url);
    let site = hub(move |_| Answer::redirect(&to)).await;
    let mut place = Place::new(&site);
    assert_eq!(place.pull("hf:o/r").await.unwrap().1, gguf(SIZE));
    assert!(site.asked().iter().all(|asked| asked.token.is_some()));
    assert_eq!(cdn.asked(), [Asked { path: "/blob?signature=x".into(), token: None, from: None }]);
}

#[tokio::test]
async fn a_download_that_breaks_off_goes_on_behind_a_redirect_too() {
    let mut cuts = vec![50_000, 70_000].into_iter();
    let cdn = FakeSite::serve(move |asked| {
        let whole = Answer::file(&gguf(SIZE), asked);
        cuts.next().map_or(whole.clone(), |cut| whole.cut(cut))
    })
    .await;
    let to = cdn.url.clone();
    let site = hub(move |_| Answer::redirect(&to)).await;
    let mut place = Place::new(&site);
    assert_eq!(place.pull("hf:o/r").await.unwrap().1, gguf(SIZE));
    let from: Vec<Option<usize>> = cdn.asked().into_iter().map(|asked| asked.from).collect();
    assert_eq!(from, [None, Some(50_000), Some(120_000)]);
    assert!(place.seen.contains(&Progress::Resume { done: 120_000 }));
}

#[tokio::test]
async fn what_an_earlier_run_left_is_gone_on_with() {
    let mut cuts = vec![60_000, 0, 0].into_iter();
    let site = hub(move |asked| {
        let whole = Answer::file(&gguf(SIZE), asked);
        cuts.next().map_or(whole.clone(), |cut| whole.cut(cut))
    })
    .await;
    let mut place = Place::new(&site);
    assert!(matches!(place.pull("hf:o/r").await, Err(PullError::Unreachable { .. })));
    assert_eq!(place.models().list().unwrap(), [], "half a model is none");
    assert_eq!(place.pull("hf:o/r").await.unwrap().1, gguf(SIZE));
    assert_eq!(site.asked().last().unwrap().from, Some(60_000));
    assert_eq!(place.files(), ["m-Q4_K_M.gguf"]);
}

#[tokio::test]
async fn what_does_not_fit_its_sum_or_its_size_is_not_kept() {
    let mut wrong = gguf(SIZE);
    wrong[100] ^= 1;
    let site = hub(move |asked| Answer::file(&wrong, asked)).await;
    let mut place = Place::new(&site);
    assert!(matches!(place.pull("hf:o/r").await, Err(PullError::Checksum { .. })));
    assert_eq!(place.files(), [""; 0]);
    let site = hub(|asked| Answer::file(&gguf(SIZE + 1), asked)).await;
    let mut place = Place::new(&site);
    let error = place.pull("hf:o/r").await.unwrap_err();
    assert!(error.to_string().contains("more than the 200000 bytes"), "{error}");
    assert_eq!(place.models().list().unwrap(), []);
}

#[tokio::test]
async fn what_is_no_model_is_not_kept() {
    let page = b"<html>please log in</html>".to_vec();
    let site = FakeSite::serve(move |asked| match asked.path.as_str() {
        TREE => tree("m-Q4_K_M.gguf", &page),
        _ => Answer::file(&page, asked),
    })
    .await;
    let mut place = Place::new(&site);
    assert!(matches!(place.pull("hf:o/r").await, Err(PullError::NoModel(_))));
    assert_eq!(place.files(), [""; 0]);
}

#[tokio::test]
async fn names_that_lead_elsewhere_are_not_taken() {
    for path in ["../../evil-Q4_K_M.gguf", "/etc/evil-Q4_K_M.gguf", "a/../../evil-Q4_K_M.gguf", ".evil-Q4_K_M.gguf"] {
        let site = FakeSite::serve(move |_| tree(path, &gguf(SIZE))).await;
        let mut place = Place::new(&site);
        assert!(matches!(place.pull("hf:o/r").await, Err(PullError::BadName(_))), "{path}");
        assert_eq!(site.asked().len(), 1, "{path}: nothing but the list is asked for");
        assert_eq!(place.files(), [""; 0]);
    }
}

#[tokio::test]
async fn a_file_without_a_sum_is_not_taken() {
    let site =
        FakeSite::serve(|_| Answer::new(200, json!([{"type": "file", "path": "m.gguf", "size": 9}]).to_string())).await;
    assert!(matches!(Place::new(&site).pull("hf:o/r").await, Err(PullError::NoSum(_))));
}

#[tokio::test]
async fn without_room_nothing_is_fetched() {
    let site = hub(|asked| Answer::file(&gguf(SIZE), asked)).await;
    let mut place = Place::new(&site);
    place.sources.room = Some(Room { disk: Some(100_000), ..Room::default() });
    assert!(matches!(place.pull("hf:o/r").await, Err(PullError::NoDisk { .. })));
    place.sources.room = Some(Room { memory: Some(100_000), ..Room::default() });
    assert!(matches!(place.pull("hf:o/r").await, Err(PullError::NoMemory { .. })));
    assert!(site.asked().iter().all(|asked| asked.path == TREE), "{:?}", site.asked());
    place.sources.room = Some(Room { free_memory: Some(100_000), ..Room::default() });
    place.pull("hf:o/r").await.unwrap();
    assert!(place.seen.iter().any(|seen| matches!(seen, Progress::ShortOfMemory { .. })));
}

#[tokio::test]
async fn redirects_in_circles_and_to_nothing_end() {
    for to in ["/o/r/resolve/main/m-Q4_K_M.gguf", "file:///etc/passwd", "http://"] {
        let site = hub(move |_| Answer::redirect(to)).await;
        let error = Place::new(&site).pull("hf:o/r").await.unwrap_err();
        assert!(
            matches!(error, PullError::NotThere { .. }) && error.to_string().contains("redirects"),
            "{to}: {error}"
        );
        assert!(site.asked().len() <= 7, "{to}");
    }
}

#[tokio::test]
async fn another_model_of_the_same_name_is_left_alone() {
    let site = hub(|asked| Answer::file(&gguf(SIZE), asked)).await;
    let mut place = Place::new(&site);
    let own = place.data.path().join("own.gguf");
    std::fs::write(&own, gguf(SIZE - 1)).unwrap();
    place.models().add(&own, Some("m-Q4_K_M")).unwrap();
    let error = place.pull("hf:o/r").await.unwrap_err();
    assert!(error.to_string().contains("aish model remove m-Q4_K_M"), "{error}");
    place.models().remove("m-Q4_K_M").unwrap();
    assert_eq!(place.pull("hf:o/r").await.unwrap().1, gguf(SIZE));
}

#[tokio::test]
async fn a_list_may_have_pages_of_its_own_place() {
    let elsewhere = FakeSite::serve(|_| Answer::new(200, "[]")).await;
    let foreign = format!("<{}/steal>; rel=\"next\"", elsewhere.url);
    let site = FakeSite::serve(move |asked| match asked.path.as_str() {
        TREE => Answer::new(200, "[]").with("Link", "</api/models/o/r/tree/main?cursor=2>; rel=\"next\""),
        "/api/models/o/r/tree/main?cursor=2" => tree("m-Q4_K_M.gguf", &gguf(SIZE)).with("Link", &foreign),
        _ => Answer::file(&gguf(SIZE), asked),
    })
    .await;
    assert_eq!(Place::new(&site).pull("hf:o/r").await.unwrap().1, gguf(SIZE));
    assert_eq!(elsewhere.asked(), []);
}

#[tokio::test]
async fn a_refusal_says_what_may_be_missing_and_never_the_token() {
    let site = FakeSite::serve(|_| Answer::new(401, "who are you?")).await;
    let error = Place::new(&site).pull("hf:o/r").await.unwrap_err().to_string();
    assert!(error.contains("401") && error.contains("HF_TOKEN") && !error.contains("hf_secret"), "{error}");
    let site = FakeSite::serve(|_| tree("m-Q8_0.gguf", &gguf(SIZE))).await;
    let error = Place::new(&site).pull("hf:o/r:Q2_K").await.unwrap_err().to_string();
    assert!(error.contains("m-Q8_0.gguf"), "{error}");
    let site = FakeSite::serve(|_| tree("m\u{1b}[2J-Q8_0.gguf", &gguf(SIZE))).await;
    let error = Place::new(&site).pull("hf:o/r:Q2_K").await.unwrap_err().to_string();
    assert!(error.contains("m\\e[2J") && !error.contains('\u{1b}'), "{error}");
    let endless = FakeSite::serve(|_| Answer::new(200, vec![b' '; 9 << 20])).await;
    assert!(Place::new(&endless).pull("hf:o/r").await.unwrap_err().to_string().contains("over"));
}

fn manifest(layers: serde_json::Value) -> Answer {
    Answer::new(200, json!({"schemaVersion": 2, "config": {}, "layers": layers}).to_string())
}

fn layer(digest: &str, size: usize) -> serde_json::Value {
    json!({"mediaType": "application/vnd.ollama.image.model", "digest": digest, "size": size})
}

#[tokio::test]
async fn a_model_of_ollamas_registry_is_fetched() {
    let cdn = FakeSite::serve(|asked| Answer::file(&gguf(SIZE), asked)).await;
    let to = cdn.url.clone();
    let digest = format!("sha256:{}", sum(&gguf(SIZE)));
    let blob = format!("/v2/library/gemma3/blobs/{digest}");
    let expected = blob.clone();
    let site = FakeSite::serve(move |asked| {
        if asked.path == blob {
            return Answer::redirect(&to);
        }
        let template = json!({"mediaType": "application/vnd.ollama.image.template", "digest": "sha256:0", "size": 1});
        manifest(json!([template, layer(&digest, SIZE)]))
    })
    .await;
    let mut place = Place::new(&site);
    assert_eq!(place.pull("ollama:gemma3:1b").await.unwrap(), ("gemma3-1b".into(), gguf(SIZE)));
    let paths: Vec<String> = site.asked().into_iter().map(|asked| asked.path).collect();
    assert_eq!(paths, ["/v2/library/gemma3/manifests/1b".to_owned(), expected]);
    assert!(cdn.asked().iter().chain(&site.asked()).all(|asked| asked.token.is_none()));
}

#[tokio::test]
async fn a_manifest_that_promises_nothing_good_is_refused() {
    let sum = "a".repeat(64);
    for layers in [
        json!([]),
        json!([layer("sha256:../../x", 9)]),
        json!([layer("md5:0", 9)]),
        json!([layer(&format!("sha256:{sum}"), 9), layer(&format!("sha256:{sum}"), 9)]),
        json!("no"),
    ] {
        let shown = layers.to_string();
        let site = FakeSite::serve(move |_| manifest(layers.clone())).await;
        let mut place = Place::new(&site);
        assert!(matches!(place.pull("ollama:x").await, Err(PullError::NotThere { .. })), "{shown}");
        assert_eq!(site.asked().len(), 1, "{shown}");
    }
    let site = FakeSite::serve(move |_| manifest(json!([layer(&format!("sha256:{sum}"), 70_000_000_000)]))).await;
    assert!(matches!(Place::new(&site).pull("ollama:x").await, Err(PullError::TooLarge(70_000_000_000))));
}
