//! Integration tests of the files that survive.

#[cfg(test)]
mod agent_calls;
#[cfg(test)]
mod crash;
#[cfg(test)]
mod lines;
#[cfg(test)]
mod session;
#[cfg(test)]
mod stores;
#[cfg(test)]
mod undo;
#[cfg(test)]
mod undo_links;
