//! `docs/cli.md`, written from the parser.

use std::path::Path;

use clap::{Arg, Command, CommandFactory};
use expect_test::expect_file;

use crate::args::Cli;

const HEAD: &str = "\
# The `skillhub` command

Written from the parser by `UPDATE_EXPECT=1 cargo test -p skillhub-cli docs`. How messages are written:
[cli-style.md](cli-style.md). What the commands do in depth, and the shapes of `--json`: [the crate's page](../cli/README.md).
";

#[test]
fn the_page_of_the_command_is_as_the_parser_is() {
    let mut cli = Cli::command();
    cli.build();
    let mut page = HEAD.to_owned();
    page.push_str("\n## Options of every command\n\n");
    cli.get_arguments().filter(|arg| arg.is_global_set()).for_each(|arg| page.push_str(&row(arg)));
    for command in cli.get_subcommands().filter(|command| command.get_name() != "help") {
        section(&mut page, command, "skillhub", 2);
    }
    expect_file![Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/cli.md")].assert_eq(&page);
}

fn section(page: &mut String, command: &Command, parent: &str, level: usize) {
    let name = format!("{parent} {}", command.get_name());
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    page.push_str(&format!("\n{} `{name}`\n\n{about}.\n", "#".repeat(level)));
    let subcommands: Vec<_> = command.get_subcommands().filter(|command| command.get_name() != "help").collect();
    if subcommands.is_empty() {
        let positionals: String = command.get_positionals().map(|arg| format!(" {arg}")).collect();
        page.push_str(&format!("\n```text\n{name} [OPTIONS]{positionals}\n```\n"));
    }
    let own = |arg: &&Arg| !arg.is_global_set() && !matches!(arg.get_id().as_str(), "help" | "version_flag");
    let rows: String = command.get_arguments().filter(own).map(row).collect();
    if !rows.is_empty() {
        page.push_str(&format!("\n{rows}"));
    }
    subcommands.iter().for_each(|command| section(page, command, &name, level + 1));
}

fn row(arg: &Arg) -> String {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let values: Vec<_> = arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    let takes_value = arg.get_action().takes_values();
    let values = if takes_value && !values.is_empty() { format!(" ({})", values.join(", ")) } else { String::new() };
    let default: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect();
    let default =
        if takes_value && !default.is_empty() { format!(" [default: {}]", default.join(" ")) } else { String::new() };
    let short = arg.get_short().map(|short| format!("-{short}, ")).unwrap_or_default();
    format!("- `{short}{}`: {help}{values}{default}\n", arg.to_string().trim())
}
