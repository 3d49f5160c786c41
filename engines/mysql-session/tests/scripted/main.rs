//! The client against servers that a test scripts: logging in, statements, and whatever else can come.

mod log_in;
mod peer;
mod statements;
