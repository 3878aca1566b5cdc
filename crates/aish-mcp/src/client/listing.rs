//! Lists that come in pages, with a guard against pages without end: a page with nothing new is the last one.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use rmcp::model::{
    ClientRequest, ErrorCode, ListPromptsRequest, ListResourcesRequest, ListToolsRequest, PaginatedRequestParams,
    Prompt, Resource, ServerResult, Tool,
};
use rmcp::service::{Peer, PeerRequestOptions, RoleClient, ServiceError};
use tokio::time::Instant;

/// The most pages of one list.
const MAX_PAGES: usize = 200;
/// The most empty pages that follow one another.
const MAX_EMPTY: usize = 3;
/// The most items of one list.
const MAX_ITEMS: usize = 20_000;

/// One kind of list.
pub(super) trait ListItem: Sized + PartialEq {
    fn request(params: Option<PaginatedRequestParams>) -> ClientRequest;
    /// What tells one item from another.
    fn key(&self) -> &str;
    fn page(result: ServerResult) -> Option<(Vec<Self>, Option<String>)>;
}

macro_rules! listed {
    ($item:ty, $key:ident, $request:ident, $result:ident, $field:ident) => {
        impl ListItem for $item {
            fn request(params: Option<PaginatedRequestParams>) -> ClientRequest {
                let mut request = $request::default();
                request.params = params;
                ClientRequest::$request(request)
            }

            fn key(&self) -> &str {
                &self.$key
            }

            fn page(result: ServerResult) -> Option<(Vec<Self>, Option<String>)> {
                match result {
                    ServerResult::$result(page) => Some((page.$field, page.next_cursor)),
                    _ => None,
                }
            }
        }
    };
}

listed!(Tool, name, ListToolsRequest, ListToolsResult, tools);
listed!(Prompt, name, ListPromptsRequest, ListPromptsResult, prompts);
listed!(Resource, uri, ListResourcesRequest, ListResourcesResult, resources);

/// A list as far as it came.
pub(super) struct List<T> {
    pub(super) items: Vec<T>,
    /// False when a page failed, or there was no end to them.
    pub(super) whole: bool,
}

/// Fetches a whole list within a time. A server that does not know the method has an empty list; what came before
/// a page that fails is kept.
pub(super) async fn all<T: ListItem>(peer: &Peer<RoleClient>, within: Duration) -> Result<List<T>, ServiceError> {
    let deadline = Instant::now() + within;
    let mut items: Vec<T> = Vec::new();
    let mut places = BTreeMap::new();
    let mut cursors = BTreeSet::new();
    let mut cursor: Option<String> = None;
    let mut empty = 0;
    for _ in 0..MAX_PAGES {
        let params = cursor.take().map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
        let left = deadline.saturating_duration_since(Instant::now());
        let options = PeerRequestOptions::with_timeout(left.max(Duration::from_millis(1)));
        let answer = async { peer.send_request_with_option(T::request(params), options).await?.await_response().await };
        let (page, next) = match answer.await {
            Ok(result) => T::page(result).ok_or(ServiceError::UnexpectedResponse)?,
            Err(ServiceError::McpError(error)) if items.is_empty() && error.code == ErrorCode::METHOD_NOT_FOUND => {
                return Ok(List { items, whole: true });
            }
            Err(error) if items.is_empty() => return Err(error),
            Err(error) => {
                tracing::warn!(%error, "a list broke off after {} items", items.len());
                return Ok(List { items, whole: false });
            }
        };
        let (is_empty, before) = (page.is_empty(), items.len());
        empty = if is_empty { empty + 1 } else { 0 };
        for item in page {
            // The same page again, or an item that slid into the next one.
            let same = places.get(item.key()).and_then(|place| items.get(*place));
            if same != Some(&item) {
                places.insert(item.key().to_owned(), items.len());
                items.push(item);
            }
        }
        let is_news = is_empty || items.len() > before;
        match next.filter(|next| !next.is_empty() && is_news) {
            Some(next) if empty <= MAX_EMPTY && items.len() < MAX_ITEMS && cursors.insert(next.clone()) => {
                cursor = Some(next)
            }
            Some(_) | None => break,
        }
    }
    let whole = cursor.is_none() && items.len() <= MAX_ITEMS;
    items.truncate(MAX_ITEMS);
    Ok(List { items, whole })
}
