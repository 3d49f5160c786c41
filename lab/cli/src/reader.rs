//! What verbs have that only read results: the console, Ctrl-C, and what is known of this host. The whole program's `Lab` has the
//! same and everything that measures.

use std::path::PathBuf;

use humdrum_contract::Interrupt;
use humdrum_model::Fault;
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::args::Arguments;
use crate::progress::Console;

/// Everything a verb needs that measures nothing.
pub struct Reader {
    /// The folder with the history of this host and its selftests; `None` where there is none.
    pub cache: Option<PathBuf>,
    /// Where updates go.
    pub console: Console,
    /// Set by Ctrl-C.
    pub interrupt: Interrupt,
    /// Say more.
    pub verbose: bool,
}

impl Reader {
    /// Takes over Ctrl-C: the first asks to stop, a second stops at once (servers are ended by their guardians either way).
    ///
    /// # Errors
    /// Environment: signals cannot be watched for.
    pub fn open(arguments: &Arguments) -> Result<Self, Fault> {
        let interrupt = Interrupt::new();
        for signal in [SIGINT, SIGTERM] {
            let second = signal_hook::flag::register_conditional_shutdown(signal, 130, interrupt.flag());
            let first = second.and_then(|_| signal_hook::flag::register(signal, interrupt.flag()));
            first.map_err(|error| Fault::environment(format!("cannot watch for signals: {error}")))?;
        }
        let verbose = arguments.verbose > 0;
        let console = Console::new(arguments.progress, arguments.quiet, verbose);
        Ok(Self { cache: None, console, interrupt, verbose })
    }
}
