//! Model Context Protocol client and server.
