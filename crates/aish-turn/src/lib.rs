//! The turn as a pure state machine.
