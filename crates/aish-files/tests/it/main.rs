//! The files of a tree, on real file systems.

#[cfg(test)]
mod edits;
#[cfg(test)]
mod looking;
#[cfg(test)]
mod place;
#[cfg(test)]
mod tree;
