//! Common code of all engines with servers of their own. An engine provides a [`Profile`], which is data, and
//! the functions of [`SqlKind`]; the kit builds an `Engine` from them:
//!
//! ```text
//!   profile.rs    what is known of an engine beforehand       kind.rs      the functions that it brings
//!   engine.rs     both together as an engine                  version.rs   a release's number
//!
//!   catalogue.rs  releases and their pins                     place.rs     what a subject names
//!   settings.rs   named configurations and options            install.rs   fetching and unpacking a build
//!   cache.rs      a build's folder on this host               build.rs     a build
//!   source.rs     building from sources: flags, recipe, hash
//!
//!   instance.rs   what lies where in a server's folder        login.rs     how to reach a server
//!   server.rs     one instance as a server                    life.rs      its process: started, frozen, ended
//!   roles.rs      which processes or threads serve sessions   external.rs  a server that somebody else runs
//!   rows.rs       answers as names and values                 fingerprint.rs
//!   libraries.rs  what a build lacks on this host             testing.rs   what engines' tests share
//!   worker_link.rs  the lab's end of a connection to a worker process, whose own end is in `engines/worker`
//!   memory.rs     what of a memory limit is for a cache       preload.rs   another allocator before a build
//! ```
//!
//! `cache.rs`, `life.rs`, `memory.rs`, `fingerprint.rs`, `source.rs` and what is for workers need no SQL: engines of other kinds
//! (`rocksdb`, `sorts`, `duckdb`, `datafusion`) use them alone.

mod build;
pub mod cache;
mod catalogue;
mod engine;
mod external;
mod fingerprint;
mod install;
mod instance;
mod kind;
pub mod libraries;
mod life;
mod login;
mod memory;
mod offered;
mod place;
mod preload;
pub mod private_file;
mod profile;
mod roles;
mod rows;
mod server;
mod settings;
pub mod source;
#[cfg(feature = "testing")]
pub mod testing;
mod version;
mod worker_link;

pub use build::Build;
pub use catalogue::{Archive, Catalogue, Entry, Maven, parse as parse_catalogue};
pub use engine::SqlEngine;
pub use fingerprint::fingerprint;
pub use humdrum_engine_worker::frames;
pub use instance::{Command, Instance, with_log};
pub use kind::SqlKind;
pub use life::{Life, NotStarted, Patience};
pub use login::{Login, SCHEMA};
pub use memory::Reserve;
pub use profile::{Folders, Profile, Starting};
pub use roles::Sessions;
pub use rows::{pairs, single};
pub use settings::{CLIENT_CONNECTION, Line, Named, Options, Span, lines_for, resolve};
pub use source::{CMake, Compiler, Cost, Flags, Lto, Need, Order, Patch, Recipe, cmake_tools, needed};
pub use version::Version;
pub use worker_link::WorkerLink;
