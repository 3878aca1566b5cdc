//! Integration tests of the MCP client and server.

#[cfg(test)]
mod agreeable;
#[cfg(test)]
mod client_faults;
#[cfg(test)]
mod client_features;
#[cfg(test)]
mod client_safety;
#[cfg(test)]
mod client_seed;
#[cfg(test)]
mod client_sloppy;
#[cfg(test)]
mod client_sloppy_http;
#[cfg(test)]
mod client_sloppy_shapes;
#[cfg(test)]
mod client_sloppy_wire;
#[cfg(test)]
mod external;
#[cfg(test)]
mod external_clients;
#[cfg(test)]
mod external_servers;
#[cfg(test)]
mod fake;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod server_door;
#[cfg(test)]
mod server_http;
#[cfg(test)]
mod server_input;
#[cfg(test)]
mod server_stdio;
