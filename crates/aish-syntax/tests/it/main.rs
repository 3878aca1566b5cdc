//! Integration tests: unfinished input and compound commands against bash, words against the parser, any text at all.

#[cfg(test)]
mod compound;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod unfinished;
