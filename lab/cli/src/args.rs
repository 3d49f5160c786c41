//! The command line. Every option that a plan file may also give is an `Option`, so that what was typed can be
//! told from what was not.

mod experiments;
mod explain;
mod import;
mod manual;
#[cfg(feature = "measure")]
mod measuring;
mod merge;
mod published;
#[cfg(not(feature = "measure"))]
mod reading;
mod refused;
mod report;
mod site;

use clap::{Parser, ValueEnum};

pub use experiments::ExperimentsOptions;
pub use explain::ExplainOptions;
pub use import::{Files, ImportOptions};
pub use manual::{CompletionsOptions, ManOptions};
#[cfg(feature = "measure")]
pub use measuring::*;
pub use merge::MergeOptions;
pub use published::BesideOptions;
#[cfg(not(feature = "measure"))]
pub use reading::*;
pub use refused::refused;
pub use report::ReportOptions;
pub use site::SiteOptions;

/// What a user typed.
#[derive(Debug, Parser)]
#[command(
    name = "humdrum",
    version,
    about = "Finds performance regressions in databases",
    long_about = LONG_ABOUT,
    after_help = after_help(),
    max_term_width = 110
)]
pub struct Arguments {
    /// The verb.
    #[command(subcommand)]
    pub verb: Verb,
    /// Colours: auto, always or never; NO_COLOR is respected
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
    /// How progress is shown
    #[arg(long, global = true, value_enum, default_value_t = ProgressKind::Auto)]
    pub progress: ProgressKind,
    /// Say only what was asked for
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Say more
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Color {
    /// Tells the output library, for the whole program.
    pub fn apply(self) {
        let choice = match self {
            Self::Auto => return,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }
}

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProgressKind {
    /// A live line on a terminal, plain lines elsewhere.
    Auto,
    /// Lines.
    Plain,
    /// JSON, a line an update.
    Json,
    /// Nothing.
    None,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }
}
