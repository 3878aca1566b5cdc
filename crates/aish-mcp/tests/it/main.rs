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

#[cfg(test)]
mod tests {
    /// A test file that is not declared above would never run.
    #[test]
    fn every_file_is_declared() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it");
        let main = std::fs::read_to_string(format!("{folder}/main.rs")).unwrap();
        for entry in std::fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if let Some(module) = name.strip_suffix(".rs").filter(|module| *module != "main") {
                assert!(main.contains(&format!("mod {module};")), "{name} is not declared");
            }
        }
    }
}
