//! The crate from outside: beside a sort of a vector, and when things go wrong.

mod cancel;
mod damage;
mod faults;
mod harness;
mod oracle;
mod records;
mod spilled;
