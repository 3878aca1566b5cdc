//! Tests of the test kit, from outside.

#[cfg(test)]
mod model_server;
