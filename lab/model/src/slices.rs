//! How long the slices of a test are: long enough that the ends, in which not all clients work, are a small part of them.

use std::ops::RangeInclusive;

use crate::{Design, Plan, TestInfo};

/// The cost that says what part of a slice its ends take, in percent, of several clients.
pub const IDLE_PCT: &str = "idle_pct";

/// Above this part of a slice, in percent, its ends are part of what is compared.
pub const IDLE_PCT_MAX: f64 = 5.0;

/// Lengths that `--slice-ms` takes, milliseconds. Below 3 ms the switch itself is measured. Above 100 ms the host's bursts no longer hit
/// all subjects equally.
pub const SLICE_MS: RangeInclusive<f64> = 3.0..=100.0;

/// Longest slice that many clients get without being asked for, milliseconds. The host's disturbances come in bursts of tens of
/// milliseconds, which longer slices no longer share equally.
const SLICE_MS_OF_CLIENTS_MAX: f64 = 40.0;

impl Design {
    /// Milliseconds of a slice of `test` with so many clients.
    pub fn slice_ms_of(&self, test: &TestInfo, clients: u32) -> f64 {
        let least = if test.writes { self.slice_ms_writes } else { self.slice_ms };
        least.max((self.slice_ms_per_client * f64::from(clients)).min(SLICE_MS_OF_CLIENTS_MAX))
    }

    /// The length that `--slice-ms` named, which is that of all slices; `None` where slices have the default lengths.
    pub fn slice_ms_typed(&self) -> Option<f64> {
        let is_one = self.slice_ms == self.slice_ms_writes && self.slice_ms_per_client == 0.0;
        is_one.then_some(self.slice_ms)
    }
}

impl Plan {
    /// Milliseconds of a slice of `test`.
    pub fn slice_ms_of(&self, test: &TestInfo) -> f64 {
        self.design.slice_ms_of(test, self.clients_of(test))
    }

    /// Milliseconds of the shortest and of the longest slices of tests that write, or of those that read; `None` where there are none.
    pub fn slice_ms_range(&self, writes: bool) -> Option<[f64; 2]> {
        let tests = self.tests.iter().filter(|test| test.writes == writes);
        let lengths = tests.map(|test| self.slice_ms_of(test));
        lengths.fold(None, |range: Option<[f64; 2]>, ms| {
            Some(range.map_or([ms, ms], |[least, most]| [least.min(ms), most.max(ms)]))
        })
    }
}

/// Whether a number of a plan says nothing.
pub(crate) fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_grow_with_the_clients_up_to_a_limit() {
        let design = Design { slice_ms_per_client: 2.5, ..Design::default() };
        let reads = TestInfo::default();
        let lengths = [1, 4, 8, 16, 64].map(|clients| design.slice_ms_of(&reads, clients));
        assert_eq!(lengths, [10.0, 10.0, 20.0, 40.0, 40.0]);
        let writes = TestInfo { writes: true, ..TestInfo::default() };
        assert_eq!(design.slice_ms_of(&writes, 16), 40.0);
        assert_eq!(design.slice_ms_typed(), None);
    }

    #[test]
    fn a_length_that_was_named_holds_for_any_number_of_clients() {
        let design = Design { slice_ms: 60.0, slice_ms_writes: 60.0, ..Design::default() };
        assert_eq!(design.slice_ms_of(&TestInfo::default(), 64), 60.0);
        assert_eq!(design.slice_ms_typed(), Some(60.0));
        assert_eq!(Design { slice_ms_writes: 10.0, ..design }.slice_ms_typed(), None);
    }
}
