//! The embedded model's own executable, spoken to over pipes.

fn main() {}
