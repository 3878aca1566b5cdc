//! The resources that the suite reads.

use aish_mcp::server::{Resource, ResourceContent, ResourceTemplate};
use serde_json::json;

use crate::tools::PNG;

pub(crate) fn all() -> Vec<Resource> {
    let resource = |uri: &str, name: &str, media_type: &str| Resource {
        uri: uri.into(),
        name: name.into(),
        description: Some(format!("{name} of the suite")),
        media_type: Some(media_type.into()),
        ..Resource::default()
    };
    vec![
        resource("test://static-text", "Static text", "text/plain"),
        resource("test://static-binary", "Static binary", "image/png"),
        resource("test://watched-resource", "Watched resource", "text/plain"),
    ]
}

pub(crate) fn templates() -> Vec<ResourceTemplate> {
    vec![ResourceTemplate {
        uri_template: "test://template/{id}/data".into(),
        name: "Template".into(),
        media_type: Some("application/json".into()),
        ..ResourceTemplate::default()
    }]
}

pub(crate) fn read(uri: &str) -> Option<Vec<ResourceContent>> {
    let text = |media_type: &str, text: String| {
        Some(vec![ResourceContent::Text { uri: uri.into(), media_type: Some(media_type.into()), text }])
    };
    match uri {
        "test://static-text" => text("text/plain", "This is the content of the static text resource.".into()),
        "test://watched-resource" => text("text/plain", "Watched".into()),
        "test://static-binary" => {
            let media_type = Some("image/png".into());
            Some(vec![ResourceContent::Binary { uri: uri.into(), media_type, data: PNG.into() }])
        }
        _ => {
            let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
            let data = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            text("application/json", data.to_string())
        }
    }
}
