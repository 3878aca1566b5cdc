//! The program `climax`: its command line and its server.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
