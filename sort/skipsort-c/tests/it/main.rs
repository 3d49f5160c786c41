//! The C interface: called from Rust beside the standard library's sort, and from C and C++ programs.

#[cfg(not(miri))]
mod encoding;
mod errors;
mod harness;
#[cfg(not(miri))]
mod header;
#[cfg(not(miri))]
mod install;
mod order;
#[cfg(not(miri))]
mod programs;
#[cfg(target_os = "linux")]
mod sorter;
#[cfg(not(miri))]
mod sqlite;
mod stop;
