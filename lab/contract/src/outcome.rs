//! The result type of the lab.

use humdrum_model::Fault;

/// Result of anything that can fail in the lab.
pub type Outcome<T> = Result<T, Fault>;
