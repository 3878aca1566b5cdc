//! The confined run and its layer, with the real kernel: as root where the tests are root, and as an ordinary user.

#[cfg(test)]
mod as_user;
#[cfg(test)]
mod bounds;
#[cfg(test)]
mod breakouts;
#[cfg(test)]
mod conflicts;
#[cfg(test)]
mod cut;
#[cfg(test)]
mod edits;
#[cfg(test)]
mod everyday;
#[cfg(test)]
mod exactness;
#[cfg(test)]
mod extended;
#[cfg(test)]
mod facts;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod guarded;
#[cfg(test)]
mod homes;
#[cfg(test)]
mod in_tree;
#[cfg(test)]
mod keeping;
#[cfg(test)]
mod leads;
#[cfg(test)]
mod levels;
#[cfg(test)]
mod modes;
#[cfg(test)]
mod names;
#[cfg(test)]
mod parents;
#[cfg(test)]
mod place;
#[cfg(test)]
mod races;
#[cfg(test)]
mod ready;
#[cfg(test)]
mod repositories;
#[cfg(test)]
mod staged;
#[cfg(test)]
mod terminal;
#[cfg(test)]
mod unfinished;
#[cfg(test)]
mod veiled;
#[cfg(test)]
mod view;
