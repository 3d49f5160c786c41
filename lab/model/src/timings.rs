//! The time that an engine's servers need outside measurements: starting, loading, settling. Plans use it.

use std::iter::Sum;

use serde::{Deserialize, Serialize};

/// Seconds that one subject adds to a session or to a run while all subjects do the same. Each engine reports
/// its measured timings. A plan has the sum over its subjects.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timings {
    /// Creating an empty server and starting it for the first time, once per run.
    pub create_seconds: f64,
    /// Stopping it and starting it again, up to its first answer.
    pub restart_seconds: f64,
    /// Loading one row, with its indexes and settling.
    pub load_seconds_per_row: f64,
    /// Restoring its loaded data from a copy. `None` where that is impossible, so that every session loads.
    pub copy: Option<CopyTimings>,
    /// Settling after a test that writes: reading the state, paying the debt, closing connections.
    #[serde(rename = "aftermath_seconds")]
    pub settle_seconds: f64,
    /// More settling time for each row of its tables; zero in older plans.
    #[serde(default, rename = "aftermath_seconds_per_row")]
    pub settle_seconds_per_row: f64,
}

/// Seconds for restoring data from a copy: replacing files, reading the tables into memory, checking them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CopyTimings {
    /// For the server's own files, without tables.
    pub seconds: f64,
    /// For one row.
    pub seconds_per_row: f64,
}

impl Timings {
    /// No time at all.
    pub const NONE: Self = Self {
        create_seconds: 0.0,
        restart_seconds: 0.0,
        load_seconds_per_row: 0.0,
        copy: Some(CopyTimings { seconds: 0.0, seconds_per_row: 0.0 }),
        settle_seconds: 0.0,
        settle_seconds_per_row: 0.0,
    };

    /// The timings assumed for older plans, which have none: those of two servers of Postgres.
    pub fn before_they_were_told() -> Self {
        Self {
            create_seconds: 0.0,
            restart_seconds: 1.0,
            load_seconds_per_row: 2.4e-6,
            copy: None,
            settle_seconds: 0.4,
            ..Self::NONE
        }
    }
}

impl Timings {
    /// Those of a server that is made anew for each session.
    #[must_use]
    pub fn made_anew(self) -> Self {
        Self { restart_seconds: self.restart_seconds + self.create_seconds, ..self }
    }

    /// Those of so many times as many subjects.
    pub fn times(self, factor: f64) -> Self {
        Self {
            create_seconds: self.create_seconds * factor,
            restart_seconds: self.restart_seconds * factor,
            load_seconds_per_row: self.load_seconds_per_row * factor,
            copy: self.copy.map(|copy| CopyTimings {
                seconds: copy.seconds * factor,
                seconds_per_row: copy.seconds_per_row * factor,
            }),
            settle_seconds: self.settle_seconds * factor,
            settle_seconds_per_row: self.settle_seconds_per_row * factor,
        }
    }
}

impl Sum for Timings {
    /// The timings of all subjects together. There is no copy if one of them has none.
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::NONE, |sum, one| Self {
            create_seconds: sum.create_seconds + one.create_seconds,
            restart_seconds: sum.restart_seconds + one.restart_seconds,
            load_seconds_per_row: sum.load_seconds_per_row + one.load_seconds_per_row,
            copy: sum.copy.zip(one.copy).map(|(sum, one)| CopyTimings {
                seconds: sum.seconds + one.seconds,
                seconds_per_row: sum.seconds_per_row + one.seconds_per_row,
            }),
            settle_seconds: sum.settle_seconds + one.settle_seconds,
            settle_seconds_per_row: sum.settle_seconds_per_row + one.settle_seconds_per_row,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_has_a_copy_where_all_have_one() {
        let with =
            Timings { copy: Some(CopyTimings { seconds: 1.0, seconds_per_row: 0.5 }), ..Timings::NONE };
        let sum: Timings = [with, with].into_iter().sum();
        assert_eq!(sum.copy, Some(CopyTimings { seconds: 2.0, seconds_per_row: 1.0 }));
        let without = Timings { copy: None, restart_seconds: 3.0, ..Timings::NONE };
        let sum: Timings = [with, without].into_iter().sum();
        assert_eq!((sum.copy, sum.restart_seconds), (None, 3.0));
    }
}
