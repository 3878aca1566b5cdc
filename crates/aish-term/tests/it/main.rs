//! Terminal behaviour, seen on a vt100 screen.

#[cfg(test)]
mod markdown;
#[cfg(test)]
mod screen;
