//! A session over the MySQL protocol, for MySQL 5.5 to 9.x and MariaDB 10.1 to 11.x, written for the lab's
//! hot loop: an operation costs one write and one read, copies its parameters behind a prepared head, counts
//! the rows as they arrive and allocates nothing. For other purposes use a full client library; this one has
//! only what workloads need. It is a crate of its own because two engines use it.
//!
//! The hot path is `statement.rs` (what is sent), `wire.rs` (packets) and `rows.rs` (what is read). Everything
//! else runs before or after a measurement:
//!
//! ```text
//!   greeting.rs, login.rs, auth.rs            opening a session
//!   reply.rs, columns.rs, binary.rs, text.rs  parts of a reply
//!   exchange.rs                               statements as text and their answers
//!   bulk.rs, feed.rs                          loading a table
//!   thread.rs                                 which thread of the server serves the session
//!   examine.rs, waited.rs                     what is asked when a test is explained
//!   dialect.rs, log.rs, status.rs             where the two engines' SQL differs from the others'
//! ```
//!
//! Three choices change what is measured, so they are the same for every release:
//!
//! - The character set is named at log-in and again by `SET NAMES`. Servers' defaults differ, and the
//!   difference would look like a regression.
//! - Rows changed are rows really changed: `CLIENT_FOUND_ROWS` is off, and an UPDATE that finds its row and
//!   leaves it as it was counts as nothing.
//! - The packet that used to end the column list is left out where the server offers it
//!   (`CLIENT_DEPRECATE_EOF`, from MySQL 5.7 and MariaDB 10.2), as every client in use does.

mod auth;
mod binary;
mod bulk;
mod columns;
mod cursor;
mod dialect;
mod each_time;
mod examine;
mod exchange;
mod feed;
mod greeting;
mod log;
mod login;
mod reply;
mod rows;
mod schema;
mod session;
mod statement;
mod status;
mod target;
mod text;
mod thread;
mod waited;
mod wire;

pub use dialect::InnoDb;
pub use examine::TellsRows;
pub use humdrum_transport::Endpoint;
pub use session::{Session, connect};
pub use target::{CharacterSet, SPELLING, Target};
pub use waited::count_waits;
