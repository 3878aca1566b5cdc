//! Integration tests of the judgement of commands.

#[cfg(test)]
mod analysed;
#[cfg(test)]
mod autonomy;
#[cfg(test)]
mod bad_input;
#[cfg(test)]
mod bounds;
#[cfg(test)]
mod changes;
#[cfg(test)]
mod combinations;
#[cfg(test)]
mod continued;
#[cfg(test)]
mod effects;
#[cfg(test)]
mod gate;
mod hunted;
#[cfg(test)]
mod lines;
#[cfg(test)]
mod named_by_a_pipe;
#[cfg(test)]
mod nesting;
#[cfg(test)]
mod newer_shells;
#[cfg(test)]
mod open_words;
#[cfg(test)]
mod perhaps;
#[cfg(test)]
mod policy;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod rules;
#[cfg(test)]
mod scanned;
#[cfg(test)]
mod scripts;
#[cfg(test)]
mod shown;
#[cfg(test)]
mod verdicts;
#[cfg(test)]
mod wrappers;
#[cfg(test)]
mod written;
