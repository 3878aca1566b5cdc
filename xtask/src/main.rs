//! Development tasks of the workspace: `cargo xtask quick|ci|tidy|arrows`.

fn main() {}
