//! Where in an ordered list of releases or commits a test moved. Pure functions of what was measured: no clock, no file,
//! no draw, so that a search that was interrupted goes on from its rounds on record.
//!
//! ```text
//!   position    0    1    2    3    4    5    6    7    8        0 is good, 8 is bad
//!   level       0 ── 0 ── 0 ── 0 ── 0 ─┐
//!                                      └ Δ ── Δ ── Δ ── Δ        the step: 5 is the first that is bad
//! ```
//!
//! A *round* measures a position interleaved with both ends. `evidence` says how likely its sessions are if the step is
//! at a place, `posterior` says where the step probably is, `choose` names the position that halves what is left, and
//! `search` puts them in order: `next` is the one question that a caller asks, after every round.

mod choose;
mod evidence;
mod levels;
mod posterior;
mod round;
mod search;
mod series;
mod two;

#[cfg(test)]
mod testkit;

pub use levels::{Level, level, ratio};
pub use posterior::{Segment, segments};
pub use round::{Kind, Round, Session};
pub use search::{ENOUGH, Found, Next, Problem, View, next, rounds_left, view};
