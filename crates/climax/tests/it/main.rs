//! Integration tests of climax.

#[cfg(test)]
mod argv;
#[cfg(test)]
mod config;
#[cfg(test)]
mod policy;
