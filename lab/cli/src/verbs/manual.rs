//! `humdrum completions` and `humdrum man`: what shells and `man` need to know, from the arguments themselves.

use std::io;

use clap::CommandFactory;
use humdrum_model::Fault;

use crate::args::{Arguments, CompletionsOptions, EXAMPLE_VERB, ManOptions};

/// `humdrum completions`: a script for the shell, on standard output.
///
/// # Errors
/// Environment, when it cannot be written.
pub fn completions(options: &CompletionsOptions) -> Result<u8, Fault> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Arguments::command(), "humdrum", &mut script);
    printed(&script)
}

/// `humdrum man`: pages in the format of man(7).
///
/// # Errors
/// Environment, when they cannot be written.
pub fn man(options: &ManOptions) -> Result<u8, Fault> {
    let command = Arguments::command();
    let Some(folder) = &options.folder else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page).map_err(|error| cannot("the page", &error))?;
        return printed(&page);
    };
    let shown = folder.display().to_string();
    let written = std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command, folder));
    written.map_err(|error| cannot(&shown, &error))?;
    anstream::println!(
        "wrote the manual's pages to {shown}; read one with: man -l {shown}/humdrum-{EXAMPLE_VERB}.1"
    );
    Ok(0)
}

fn printed(bytes: &[u8]) -> Result<u8, Fault> {
    match io::Write::write_all(&mut io::stdout(), bytes) {
        // The reader has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(0),
        Err(error) => Err(cannot("standard output", &error)),
        Ok(()) => Ok(0),
    }
}

fn cannot(what: &str, error: &io::Error) -> Fault {
    Fault::environment(format!("cannot write {what}: {error}"))
}
