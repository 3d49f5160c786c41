//! Shares of dead rows, published and measured.

use serde::{Deserialize, Serialize};

use crate::Published;

/// The share of dead rows that one release had after one step, published and measured. Neither has an interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShareRow {
    /// The publication's figure. It has no base, and its `ratio` is dead rows / all rows.
    pub published: Published,
    /// What was measured, one at least.
    pub measured: Vec<Share>,
}

/// A measured share of dead rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// The host, as in [`crate::Measured`].
    pub host: String,
    /// The label of the subject (`fake@1.0`).
    pub subject: String,
    /// Dead rows / all rows.
    pub share: f64,
}

impl Share {
    /// Whether both are of one subject on one host.
    pub fn is_of_one_subject(&self, other: &Self) -> bool {
        (&self.host, &self.subject) == (&other.host, &other.subject)
    }
}
