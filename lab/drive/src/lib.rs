//! Stage 3: clients, slices and blocks.
//!
//! Subjects take turns in slices of milliseconds. A shared host's disturbances last longer than that, so that they
//! hit all subjects equally. The threads that own the connections take the turns in their own loop. Clocks and
//! probes are read at the edges of slices.
//!
//! ```text
//!            ┌──────────── block ────────────┐┌──────────── block ────────────┐
//!   base     ░░▓▓▓▓▓▓▓▓▓▓                                     ░░▓▓▓▓▓▓▓▓▓▓
//!   subject                   ░░▓▓▓▓▓▓▓▓▓▓░░▓▓▓▓▓▓▓▓▓▓
//!            ↑ ↑         ↑   ↑
//!            │ │         │   edge: probes read, outside every slice
//!            │ └ counted operations: the same seeds for every subject
//!            └ guard: run but not counted, while caches warm up after the switch
//! ```
//!
//! `slice.rs` is the hot loop, `team.rs` has the threads, `crew.rs` the turns, and `lane.rs` one subject's server.
//! `calibrate.rs` decides how long a slice is, `placement.rs` which processor runs what. `settle.rs` is for the time
//! after the last slice of a test that writes, `step/` for suites of whole steps.

mod calibrate;
mod crew;
mod inject;
mod lane;
mod latency;
mod mailbox;
mod placement;
mod settle;
mod slice;
mod step;
mod tally;
mod team;

pub use calibrate::{Pace, Portion};
pub use crew::{BlockOutcome, Buckets, Crew, Prelude, Turn};
pub use lane::Lane;
pub use settle::{Settling, Took};
pub use step::{StepCrew, StepLane};
