//! The confined run and its layer, with the real kernel: as root where the tests are root, and as an ordinary user.

#[cfg(test)]
mod as_user;
#[cfg(test)]
mod attempts;
#[cfg(test)]
mod bounds;
#[cfg(test)]
mod breakouts;
#[cfg(test)]
mod conflicts;
#[cfg(test)]
mod cut;
#[cfg(test)]
mod facts;
#[cfg(test)]
mod guarded;
#[cfg(test)]
mod keeping;
#[cfg(test)]
mod place;
#[cfg(test)]
mod terminal;
#[cfg(test)]
mod view;
