//! What people read of the program by itself, whole, so that a change of it is seen: help pages, keys, faults.

use std::path::Path;

use clap::CommandFactory as _;

use crate::arguments::Arguments;
use crate::config::load;
use crate::config::show::show;
use crate::meta::COMMANDS;

/// Writes the help page of a command and those of its sub-commands.
fn pages(command: &mut clap::Command, name: &str, text: &mut String) {
    text.push_str(&format!("## {name}\n\n{}\n", command.render_long_help()));
    for sub in command.get_subcommands_mut().filter(|sub| !sub.is_hide_set()) {
        let name = format!("{name} {}", sub.get_name());
        pages(sub, &name, text);
    }
}

#[test]
fn help_pages() {
    let mut text = String::new();
    pages(&mut Arguments::command().version("VERSION").term_width(100), "aish", &mut text);
    insta::assert_snapshot!(text);
}

#[test]
fn routing_knows_the_commands() {
    let mut command = Arguments::command();
    command.build();
    let shown = command.get_subcommands().filter(|sub| !sub.is_hide_set());
    let mut own: Vec<&str> = shown.map(clap::Command::get_name).collect();
    own.sort_unstable();
    assert_eq!(aish_route::words::programs::subcommands("aish").collect::<Vec<_>>(), own);
}

#[test]
fn meta_commands() {
    let rows: Vec<String> =
        COMMANDS.iter().map(|row| format!(":{} {}  {}", row.name, row.usage, row.summary)).collect();
    insta::assert_snapshot!(rows.join("\n"));
}

#[test]
fn the_configuration_that_holds_without_a_file() {
    insta::assert_snapshot!(show(&load(None, &[], &[]), None));
}

#[test]
fn faults_of_a_configuration() {
    let user = "nothing = 1\n[context]\nmax_turn = 3\nmax_turns = \"many\"\n[ui]\ntheme = \"blue\"\n[models]\n\
        [models.m]\nprovider = \"other\"\n[policy]\nrules = [{ match = \"ls\" }]\n[shell.rc]\n";
    let project = "[shell]\nprogram = \"sh\"\nconfirm_cmd = false\n[norris]\nmax_steps = 100\n";
    let variables = [("AISH_CONTEXT_MAX_TRUNS", "3"), ("AISH_UI_MARKDOWN", "perhaps")];
    let loaded = load(
        Some((Path::new("config.toml"), user)),
        &[(Path::new(".aish.toml"), project)],
        &variables.map(|(name, value)| (name.to_owned(), value.to_owned())),
    );
    let faults: Vec<String> = loaded.diagnostics.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(faults.join("\n"));
    assert!(load(Some((Path::new("config.toml"), "[ui\n")), &[], &[]).diagnostics[0].to_string().contains("TOML"));
}
