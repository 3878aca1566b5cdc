//! Integration tests of the tool layer.

#[cfg(test)]
mod acceptance;
#[cfg(test)]
mod arguments;
#[cfg(test)]
mod builtins;
#[cfg(test)]
mod calculator;
#[cfg(test)]
mod discovery;
#[cfg(test)]
mod door;
#[cfg(test)]
mod executor;
#[cfg(test)]
mod files;
#[cfg(test)]
mod look_ups;
#[cfg(test)]
mod oracle;
#[cfg(test)]
mod registry;
#[cfg(test)]
mod search_request;
#[cfg(test)]
mod seed;
#[cfg(test)]
mod sources;
