//! The live shell in a pseudo-terminal.
