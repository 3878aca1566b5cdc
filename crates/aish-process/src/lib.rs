//! Child processes with an owner.
