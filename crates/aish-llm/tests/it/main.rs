//! Tests of the providers and the broker against scripted servers.

#[cfg(test)]
mod abilities;
#[cfg(test)]
mod anthropic;
#[cfg(test)]
mod broker;
#[cfg(test)]
mod discovery;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod harness;
#[cfg(test)]
mod held;
#[cfg(test)]
mod llama_cpp;
#[cfg(test)]
mod odd_answers;
#[cfg(test)]
mod openai;
#[cfg(test)]
mod quirks;
#[cfg(test)]
mod schema;
#[cfg(test)]
mod thinking;
#[cfg(test)]
mod tokens;
