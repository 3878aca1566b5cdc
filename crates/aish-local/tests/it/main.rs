//! The embedded model from outside: fetched from an index, run as a child.

#[cfg(test)]
mod child;
#[cfg(test)]
mod fake_index;
#[cfg(test)]
mod fake_site;
#[cfg(test)]
mod fetch;
#[cfg(test)]
mod places;
#[cfg(test)]
mod real_model;
