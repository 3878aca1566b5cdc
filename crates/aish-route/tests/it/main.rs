//! Integration tests: the committed lines, properties of every line, grammar and unfinished input against bash.

#[cfg(test)]
mod grammar;
#[cfg(test)]
mod lines;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod unfinished;
