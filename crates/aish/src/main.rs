//! aish: an AI-augmented conversational shell.

fn main() -> std::process::ExitCode {
    aish::run::run().into()
}
