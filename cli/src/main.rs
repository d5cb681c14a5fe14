//! The `skillhub` command; all of it is in the library.

fn main() -> std::process::ExitCode {
    skillhub_cli::main()
}
