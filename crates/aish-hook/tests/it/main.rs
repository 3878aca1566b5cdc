//! The crate's tests from outside.

#[cfg(test)]
mod files;
#[cfg(test)]
mod payloads;
