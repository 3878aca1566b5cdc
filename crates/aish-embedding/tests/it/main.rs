//! The sentence model: a small one made on the spot, and the published one.

#[cfg(test)]
mod published;
#[cfg(test)]
mod small;
