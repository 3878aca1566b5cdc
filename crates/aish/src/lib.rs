//! An AI-augmented conversational shell.
