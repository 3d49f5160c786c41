//! A worker of suite `orderby`, whatever its engine is: the table that every engine gets, the query in SQL, the answer's
//! checks, the messages, and the loop that serves the lab.
//!
//! ```text
//!   lab ──socket──▶ serve.rs, a thread per connection ──▶ `Queries`, which an engine implements
//!                      orders.rs  how the worker was started     table.rs   rows for `Store::make`
//!                      wire.rs    messages                       answer.rs  order and hash of what came back
//!                      note.rs    which table there is, for the next start
//! ```

mod answer;
mod note;
mod orders;
mod serve;
mod sql;
mod table;
mod value;
pub mod wire;

pub use answer::Answer;
pub use note::Note;
pub use orders::{FAILED, Orders, REFUSED};
pub use serve::{About, Queries, Store, Timed, Trouble, serve};
pub use sql::{TABLE, select};
pub use table::{Row, Table};
pub use value::Value;
