//! What the engines mysql and mariadb share: where builds come from, how servers of them are made alike, watched,
//! frozen and ended. What differs is data, a [`Flavour`], and lies in the folders of the two engines.
//!
//! ```text
//!   catalogue.rs     releases and their pins          place.rs, url.rs   what a subject's WHERE stands for
//!   install.rs       fetched, unpacked, remembered    parts.rs           where the parts of a build lie
//!   libraries.rs     what a build misses of the host  settings.rs        named configurations and options
//!   server.rs …      one instance                     external.rs        a server that somebody else runs
//!   facts.rs         what a server says of itself     complaint.rs       … and says against a setting
//! ```

mod catalogue;
mod complaint;
mod external;
mod facts;
mod flavour;
mod install;
mod libraries;
mod parts;
mod place;
mod server;
mod settings;
#[cfg(feature = "testing")]
pub mod testing;
mod threads;
mod url;
mod version;

use humdrum_contract::{Configuration, Dirs, Engine, Installation, Outcome, Progress, Release, Sizing};
use humdrum_model::{Interface, Subject};

pub use catalogue::{Entry, parse as parse_catalogue, parse_packages};
pub use humdrum_model::{CopyTimings, Timings};

pub use flavour::{FirstLife, Flavour};
pub use settings::{Line, Named, Span, lines_for, redo_bytes, shared_bytes};
pub use version::Version;

/// An engine of the family.
#[derive(Clone, Copy, Debug)]
pub struct FamilyEngine(pub &'static Flavour);

impl Engine for FamilyEngine {
    fn name(&self) -> &'static str {
        self.0.name
    }

    fn about(&self) -> &'static str {
        self.0.about
    }

    fn interface(&self) -> Interface {
        Interface::Sql
    }

    fn releases(&self, dirs: &Dirs) -> Vec<Release> {
        (self.0.releases)().iter().map(|entry| install::release(self.0, entry, dirs)).collect()
    }

    fn configurations(&self) -> Vec<Configuration> {
        settings::list(self.0)
    }

    fn timings(&self) -> Timings {
        self.0.timings
    }

    fn cache_bytes(&self, sizing: &Sizing) -> u64 {
        shared_bytes(sizing)
    }

    fn check(&self, subject: &Subject, dirs: &Dirs) -> Outcome<String> {
        place::check(self.0, subject, dirs).map(|found| found.release)
    }

    fn install(
        &self,
        subject: &Subject,
        dirs: &Dirs,
        progress: &dyn Progress,
    ) -> Outcome<Box<dyn Installation>> {
        install::install(self.0, subject, dirs, progress)
    }
}
