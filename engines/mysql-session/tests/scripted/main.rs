//! The client against scripted servers: logging in, statements, and invalid messages.

mod log_in;
mod peer;
mod statements;
