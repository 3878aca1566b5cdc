//! The program as a whole, from outside.

#[cfg(test)]
mod bus;
#[cfg(test)]
mod cases;
#[cfg(test)]
mod edges;
#[cfg(test)]
mod person;
#[cfg(test)]
mod programs;
#[cfg(test)]
mod sandbox;
#[cfg(test)]
mod undo;
