//! Integration tests of climax.

#[cfg(test)]
mod approval;
#[cfg(test)]
mod argv;
#[cfg(test)]
mod client;
#[cfg(test)]
mod config;
#[cfg(test)]
mod corrections;
#[cfg(test)]
mod dev;
#[cfg(test)]
mod discovery;
#[cfg(test)]
mod frameworks;
#[cfg(test)]
mod gateway;
#[cfg(test)]
mod help_shapes;
#[cfg(test)]
mod import;
#[cfg(test)]
mod import_lists;
#[cfg(test)]
mod import_walk;
#[cfg(test)]
mod install;
#[cfg(test)]
mod judged;
#[cfg(test)]
mod lists;
#[cfg(test)]
mod meaning;
#[cfg(test)]
mod meta_tools;
#[cfg(test)]
mod names;
#[cfg(test)]
mod official_clients;
#[cfg(test)]
mod openapi;
#[cfg(test)]
mod pages;
#[cfg(test)]
mod peer;
#[cfg(test)]
mod policy;
#[cfg(test)]
mod processes;
#[cfg(test)]
mod server;
#[cfg(test)]
mod typed_ahead;
#[cfg(test)]
mod validate;
#[cfg(test)]
mod wire;
