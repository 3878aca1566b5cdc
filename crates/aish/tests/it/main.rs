//! The program as a whole, from outside.

#[cfg(test)]
mod bus;
#[cfg(test)]
mod cases;
