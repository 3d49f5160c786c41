//! The socket of a session, which the protocols of Postgres and MySQL use. It is independent of them.
//!
//! ```text
//!   endpoint.rs   where a server listens
//!   socket.rs     one write and one read per operation
//!   waiting.rs    how a client waits for the pieces of an answer
//!   overdue.rs    one thread that ends waits whose time is over
//! ```

mod endpoint;
mod overdue;
mod socket;
mod waiting;

pub use endpoint::Endpoint;
pub use socket::Socket;
