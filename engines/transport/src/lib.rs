//! The socket of a session, which the protocols of Postgres and MySQL use. It is independent of them.
//!
//! ```text
//!   endpoint.rs   where a server listens
//!   encryption.rs what a user asks of encryption
//!   tls.rs        an encrypted connection
//!   bare.rs       a socket without encryption
//!   socket.rs     one write and one read per operation
//!   waiting.rs    how a client waits for the pieces of an answer
//!   overdue.rs    one thread that ends waits whose time is over
//! ```

mod bare;
mod encryption;
mod endpoint;
mod overdue;
mod socket;
mod tls;
mod waiting;

pub use encryption::{Binding, Check, Encryption, Identity, Roots, Spelling, Wish, open_either_way};
pub use endpoint::Endpoint;
pub use socket::Socket;
