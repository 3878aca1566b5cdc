//! What an editor sends: text, and what goes along with it.

use agent_client_protocol::v1::schema::{ContentBlock, EmbeddedResourceResource};
use percent_encoding::percent_decode_str;

/// A prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prompt {
    /// The text, with files that came along in fences, each under its name.
    pub text: String,
    /// Images.
    pub images: Vec<Image>,
}

/// An image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Its type, as `image/png`.
    pub mime: String,
    /// Its bytes in base64.
    pub data: String,
}

impl Prompt {
    pub(crate) fn of(blocks: Vec<ContentBlock>) -> Self {
        let mut prompt = Self::default();
        let mut parts: Vec<String> = Vec::new();
        for block in blocks {
            match block {
                ContentBlock::Text(text) => parts.push(text.text),
                ContentBlock::Image(image) => prompt.images.push(Image { mime: image.mime_type, data: image.data }),
                ContentBlock::ResourceLink(link) => parts.push(linked(&link.uri)),
                ContentBlock::Resource(resource) => match resource.resource {
                    EmbeddedResourceResource::TextResourceContents(text) => parts.push(fenced(&text.uri, &text.text)),
                    _ => parts.push("(an attached file that is no text was left out)".to_owned()),
                },
                _ => parts.push("(an attachment of a kind that is not known here was left out)".to_owned()),
            }
        }
        prompt.text = parts.join("\n");
        prompt
    }
}

/// Says where a file is that was only named.
fn linked(uri: &str) -> String {
    match path(uri) {
        Some(path) => format!("(the user points to the file {path})"),
        None => format!("(the user points to {uri}, which cannot be read from here)"),
    }
}

fn path(uri: &str) -> Option<String> {
    let path = uri.strip_prefix("file://")?;
    // A line of it may be named behind the path.
    let path = path.split(['#', '?']).next().unwrap_or(path);
    percent_decode_str(path).decode_utf8().ok().filter(|path| path.starts_with('/')).map(Into::into)
}

/// Puts a file's text into a fence that is longer than any in it.
fn fenced(uri: &str, text: &str) -> String {
    let name = path(uri).unwrap_or_else(|| uri.to_owned());
    let longest = text.lines().map(|line| line.trim_start().chars().take_while(|c| *c == '`').count()).max();
    let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
    format!("{name}:\n{fence}\n{}\n{fence}", text.trim_end_matches('\n'))
}

#[cfg(test)]
mod tests {
    use agent_client_protocol::v1::schema::{
        EmbeddedResource, ImageContent, ResourceLink, TextContent, TextResourceContents,
    };

    use super::*;

    #[test]
    fn what_goes_along_is_named_and_fenced() {
        let resource = TextResourceContents::new("a\n```\nb\n", "file:///srv/a%20b.md#L3");
        let blocks = vec![
            ContentBlock::Text(TextContent::new("explain")),
            ContentBlock::ResourceLink(ResourceLink::new("main.rs", "file:///srv/main.rs")),
            ContentBlock::ResourceLink(ResourceLink::new("thread", "zed:///thread/1")),
            ContentBlock::Resource(EmbeddedResource::new(EmbeddedResourceResource::TextResourceContents(resource))),
            ContentBlock::Image(ImageContent::new("AAAA", "image/png")),
        ];
        let prompt = Prompt::of(blocks);
        assert_eq!(
            prompt.text,
            "explain\n(the user points to the file /srv/main.rs)\n(the user points to zed:///thread/1, which cannot be read \
             from here)\n/srv/a b.md:\n````\na\n```\nb\n````"
        );
        assert_eq!(prompt.images, [Image { mime: "image/png".into(), data: "AAAA".into() }]);
    }
}
