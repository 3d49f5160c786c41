//! The program from outside: beside GNU sort, and when things go wrong.

mod check;
mod debug;
mod drills;
mod gnu;
mod gnu_suite;
mod harness;
mod in_place;
mod kill;
mod locale;
mod memory;
mod merging;
mod options;
mod orders;
mod output;
mod records;
mod stats;
