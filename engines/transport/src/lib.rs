//! The socket of a session: what the protocols of Postgres and MySQL are spoken over. It knows no protocol.
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
