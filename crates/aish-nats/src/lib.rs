//! Plugin tools and the chat service on a bus.
