//! The embedded model: its provider and its files.
