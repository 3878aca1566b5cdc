//! Terminal behaviour, seen on a vt100 screen.
