//! Stage 3: clients, slices and blocks.
//!
//! The heart of the lab. Subjects take turns in slices of milliseconds, faster than a shared host's
//! disturbances, so that both sides share them equally. The turns are taken inside the client's own loop, by
//! the threads that own the connections; clocks and probes are read at the edges of slices.
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
//! `slice.rs` is the hot loop, `team.rs` the threads, `crew.rs` the turns, `lane.rs` one subject's server in them,
//! `calibrate.rs` how long a slice is, `placement.rs` who runs on which processor, `settle.rs` what comes after
//! the last slice of a test that writes. `step/` is for suites of whole steps.

mod calibrate;
mod crew;
mod lane;
mod latency;
mod mailbox;
mod placement;
mod settle;
mod slice;
mod step;
mod team;

pub use calibrate::{Pace, Portion};
pub use crew::{BlockOutcome, Buckets, Crew, Turn};
pub use lane::Lane;
pub use settle::{Settling, Took};
pub use step::{StepCrew, StepLane};
