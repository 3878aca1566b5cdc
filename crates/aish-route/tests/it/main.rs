//! Integration tests: the committed lines, properties of every line, compound commands.

#[cfg(test)]
mod compound;
#[cfg(test)]
mod lines;
#[cfg(test)]
mod properties;
