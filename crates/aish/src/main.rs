//! aish: an AI-augmented conversational shell.

fn main() -> std::process::ExitCode {
    aish_process::share_heap();
    aish_process::survive_file_limit();
    aish::run().into()
}
