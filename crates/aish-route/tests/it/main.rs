//! Integration tests: the committed lines, and properties of every line.

#[cfg(test)]
mod lines;
#[cfg(test)]
mod properties;
