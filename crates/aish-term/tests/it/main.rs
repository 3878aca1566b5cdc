//! Terminal behaviour, seen on a vt100 screen.

#[cfg(test)]
mod child;
#[cfg(test)]
mod editor;
#[cfg(test)]
mod hangup;
#[cfg(test)]
mod markdown;
#[cfg(test)]
mod markdown_bounds;
#[cfg(test)]
mod pty;
#[cfg(test)]
mod question;
#[cfg(test)]
mod screen;
#[cfg(test)]
mod typed_ahead;
