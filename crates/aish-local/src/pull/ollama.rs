//! Ollama's registry: a manifest (`GET /v2/NAME/manifests/TAG`), and the layer in it that is the model
//! (`GET /v2/NAME/blobs/sha256:…`), in the manner of Docker's.

use reqwest::Client;
use serde::Deserialize;

use super::download::Remote;
use super::reference::is_part;
use super::site::{self, Site, Wish};
use super::{Offer, PullError};

const MANIFEST: &str = "application/vnd.docker.distribution.manifest.v2+json";
const MODEL: &str = "application/vnd.ollama.image.model";

#[derive(Deserialize)]
struct Manifest {
    #[serde(default)]
    layers: Vec<Layer>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Layer {
    media_type: String,
    digest: String,
    size: u64,
}

/// Finds the model of a name and a tag.
pub(crate) async fn find(client: &Client, site: &Site, repository: &str, tag: &str) -> Result<Offer, PullError> {
    let parts = |last: [&str; 2]| {
        let parts: Vec<String> =
            ["v2"].into_iter().chain(repository.split('/')).chain(last).map(str::to_owned).collect();
        parts
    };
    let url = site.at(parts(["manifests", tag]).iter().map(String::as_str))?;
    let response = site::get(client, &url, Wish { site: Some(site), accept: Some(MANIFEST), from: 0 }).await?;
    if !response.status().is_success() {
        return Err(site::refused(&response, None));
    }
    let text = site::text(response).await?;
    let unfit = |cause: String| PullError::NotThere { host: crate::network::without_password(url.as_str()), cause };
    let manifest: Manifest =
        serde_json::from_str(&text).map_err(|error| unfit(format!("its manifest cannot be read: {error}")))?;
    let layers: Vec<&Layer> = manifest.layers.iter().filter(|layer| layer.media_type == MODEL).collect();
    let [layer] = layers.as_slice() else {
        return Err(unfit(format!("its manifest names {} models, not one", layers.len())));
    };
    let sum = layer
        .digest
        .strip_prefix("sha256:")
        .filter(|sum| sum.len() == 64 && sum.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let sum = sum.ok_or_else(|| unfit("its manifest names the model by no SHA-256".into()))?;
    let short = repository.rsplit('/').next().unwrap_or_default();
    let name = if tag == "latest" { short.to_owned() } else { format!("{short}-{tag}") };
    if !is_part(&name) {
        return Err(PullError::BadName(name));
    }
    let url = site.at(parts(["blobs", &layer.digest]).iter().map(String::as_str))?;
    let remote = Remote { url, sha256: Some(sum.to_owned()), size: Some(layer.size), site: Some(site.clone()) };
    Ok(Offer { name, remote })
}
