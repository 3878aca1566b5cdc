//! Integration tests of the store.

#[cfg(test)]
mod faults;
#[cfg(test)]
mod history;
#[cfg(test)]
mod history_import;
#[cfg(test)]
mod ledger;
#[cfg(test)]
mod memory;
#[cfg(test)]
mod sessions;
#[cfg(test)]
mod ticking;
