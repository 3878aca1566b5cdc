//! The program as a whole, from outside.

#[cfg(test)]
mod cases;
