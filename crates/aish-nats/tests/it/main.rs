//! Integration tests of the chat service and the plugin tools.

#[cfg(test)]
mod bad_plugins;
#[cfg(test)]
mod full;
#[cfg(test)]
mod listing;
#[cfg(test)]
mod local;
#[cfg(test)]
mod outages;
#[cfg(test)]
mod parts;
#[cfg(test)]
mod plugins;
#[cfg(test)]
mod recovery;
#[cfg(test)]
mod server;
#[cfg(test)]
mod service;
#[cfg(test)]
mod size;
#[cfg(test)]
mod workers;
