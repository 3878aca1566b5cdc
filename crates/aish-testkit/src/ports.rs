//! Ports for servers that cannot tell which one they took.

use std::io;
use std::net::TcpListener;
use std::sync::atomic::{AtomicU16, Ordering};

/// Ports below those that kernels hand out by themselves, and above those of well-known services.
const FIRST: u16 = 10_240;
const MANY: u16 = 20_000;

/// Returns a port of this machine where nobody listens, and which no other test gets: not by this function, which begins
/// elsewhere in each process, and not from the kernel, which hands out higher ones.
///
/// # Errors
/// When there is none.
pub fn unused() -> io::Result<u16> {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let begin = std::process::id().wrapping_mul(37);
    for _ in 0..MANY {
        let step = u32::from(NEXT.fetch_add(1, Ordering::Relaxed));
        let offset = u16::try_from(begin.wrapping_add(step) % u32::from(MANY)).unwrap_or_default();
        if TcpListener::bind(("127.0.0.1", FIRST + offset)).is_ok() {
            return Ok(FIRST + offset);
        }
    }
    Err(io::Error::other("no port is free"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_given_once() {
        let ports: std::collections::BTreeSet<u16> = (0..100).map(|_| unused().unwrap()).collect();
        assert_eq!(ports.len(), 100);
        assert!(ports.iter().all(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()));
    }
}
