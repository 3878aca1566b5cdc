//! Behaviour of owned children, against real programs.

#[cfg(test)]
mod faults;
#[cfg(test)]
mod outcome;
#[cfg(test)]
mod server;
