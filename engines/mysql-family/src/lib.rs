//! Common code of the engines mysql and mariadb, beyond the kit of all engines: the parts of a build, the
//! making of data and options, and messages of servers. The differences between the two are data, a
//! [`Flavour`] in each engine's folder.
//!
//! ```text
//!   flavour.rs      in what the two differ              family.rs       both together, for the kit
//!   shared.rs       what they have in common, as data   sizes.rs        caches and logs
//!   parts.rs        where the parts of a build lie      option_file.rs  options and first statements
//!   first_life.rs   making a server's data              complaint.rs    what is said against a setting
//!   settings.rs     names of settings                   facts.rs        what a server says of itself
//!   url.rs          a server that somebody else runs         client_file.rs ~/.my.cnf
//!   counter.rs      what such a server has counted           sources.rs     what building takes
//! ```

mod client_file;
mod complaint;
mod counter;
mod facts;
mod family;
mod first_life;
mod flavour;
mod option_file;
mod parts;
mod settings;
mod shared;
mod sizes;
mod sources;
mod survey;
#[cfg(feature = "testing")]
pub mod testing;
mod url;

pub use flavour::{FirstLife, Flavour};
pub use humdrum_mysql_session::TellsRows;
pub use settings::OPTIONS;
pub use shared::{APART, CATALOGUE, FOLDERS, PASSWORDS, STARTING, TOUCHES};
pub use sizes::{POOL_LEAST_BYTES, redo_bytes, shared_bytes};
pub use sources::{release_in, tools};
