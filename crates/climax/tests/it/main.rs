//! Integration tests of climax.

#[cfg(test)]
mod argv;
#[cfg(test)]
mod client;
#[cfg(test)]
mod config;
#[cfg(test)]
mod meta_tools;
#[cfg(test)]
mod policy;
