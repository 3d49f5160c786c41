//! Which parts are made anew before each session, in which way, and how long that takes by the engines'
//! timings.

use humdrum_model::{Design, Scale, TestInfo, Timings, data_sets};

use crate::overrides::Overrides;

/// Most seconds for making all subjects' data anew before every session: half a session of twenty tests. Beyond that,
/// the data is made once, although its layout then adds to the spread.
const FRESH_SECONDS_MAX: f64 = 5.0;

/// The parts that are fresh in every session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fresh {
    /// Processes.
    pub restart: bool,
    /// Data.
    pub reload: bool,
    /// Data comes from a copy.
    pub copy: bool,
}

impl Fresh {
    /// Large data is made once, unless a test changes it. It is copied if that is faster than loading. A copy
    /// needs a restart, because it can only replace the files of a stopped server. Where there are several data sets, each
    /// session makes its own, because a server holds one at a time.
    pub(crate) fn choose(
        tests: &[TestInfo],
        timings: &Timings,
        scale: &Scale,
        overrides: &Overrides,
    ) -> Self {
        let restart = overrides.restart.unwrap_or(true);
        let sets = data_sets(tests, scale);
        let load: f64 = sets.iter().map(|data| load_seconds(timings, data)).sum();
        let copy: Option<f64> = sets.iter().map(|data| copy_seconds(timings, data)).sum();
        let wanted = overrides.copy.unwrap_or(true);
        let copies = wanted && restart && copy.is_some_and(|copy| copy < load);
        let seconds = if copies { copy.unwrap_or(load) } else { load };
        let cheap = seconds <= FRESH_SECONDS_MAX || tests.iter().any(|test| test.writes);
        let reload = overrides.reload.unwrap_or(cheap || sets.len() > 1);
        Self { restart, reload, copy: reload && copies }
    }

    /// The freshness of a design.
    pub(crate) fn of(design: &Design) -> Self {
        Self { restart: design.restart, reload: design.reload, copy: design.copy }
    }

    /// Whether each session begins with a load, so that data of the one before have no more use.
    pub(crate) fn loads_anew(self) -> bool {
        self.reload && !self.copy
    }

    /// Seconds at the start of each session on data of this scale.
    pub(crate) fn session_seconds(self, timings: &Timings, scale: &Scale) -> f64 {
        let restart = if self.restart { timings.restart_seconds } else { 0.0 };
        restart + if self.reload { self.data_seconds(timings, scale) } else { 0.0 }
    }

    /// Seconds before the first session begins.
    pub(crate) fn once_seconds(self, timings: &Timings, sets: &[Scale]) -> f64 {
        let load = |data: &Scale| match (self.reload, self.copy) {
            // The first session loads its data like every other one.
            (true, false) => 0.0,
            (false, _) => load_seconds(timings, data),
            // The copy is made after a clean stop, and takes as long as copying it back.
            (true, true) => load_seconds(timings, data) + self.session_seconds(timings, data),
        };
        timings.create_seconds + sets.iter().map(load).sum::<f64>()
    }

    fn data_seconds(self, timings: &Timings, scale: &Scale) -> f64 {
        let load = load_seconds(timings, scale);
        if self.copy { copy_seconds(timings, scale).unwrap_or(load) } else { load }
    }
}

fn rows(scale: &Scale) -> f64 {
    scale.rows as f64 * f64::from(scale.tables)
}

fn load_seconds(timings: &Timings, scale: &Scale) -> f64 {
    timings.load_seconds_per_row * rows(scale)
}

fn copy_seconds(timings: &Timings, scale: &Scale) -> Option<f64> {
    timings.copy.map(|copy| copy.seconds + copy.seconds_per_row * rows(scale))
}

#[cfg(test)]
mod tests {
    use humdrum_model::{CopyTimings, Mode};

    use super::*;
    use crate::design::{Measured, design, session_overhead_seconds};

    #[test]
    fn one_at_a_time_servers_are_made_for_each_session_unless_data_are_copied() {
        let loaded = Timings {
            create_seconds: 3.0,
            restart_seconds: 0.5,
            load_seconds_per_row: 1e-6,
            copy: None,
            ..Timings::NONE
        };
        let scale = Scale { rows: 100_000, tables: 1, clients: 1, ..Scale::default() };
        let tests = [TestInfo { name: "t".into(), ..TestInfo::default() }];
        let of = |mode, timings, copy| {
            let overrides = Overrides { mode, copy, ..Overrides::default() };
            design(300.0, &tests, &Measured { timings, incomplete: None }, &scale, &overrides)
        };
        let overhead = |design: &Design| session_overhead_seconds(design, &scale);
        let [together, alone] = [Mode::Interleaved, Mode::Sequential].map(|mode| of(mode, loaded, None));
        assert!((overhead(&alone) - overhead(&together) - 3.0).abs() < 1e-9);
        assert!(
            alone.confirmation_sessions < together.confirmation_sessions && alone.screening_sessions == 0
        );
        assert_eq!((alone.slice_ms, alone.slice_ms_writes), (30.0, 30.0));
        assert!(alone.assumed_session_sd > 2.0 * together.assumed_session_sd);
        let quick = CopyTimings { seconds: 0.01, seconds_per_row: 0.0 };
        let copied = Timings { copy: Some(quick), ..loaded };
        let [together, alone] = [Mode::Interleaved, Mode::Sequential].map(|mode| of(mode, copied, None));
        assert_eq!((alone.copy, overhead(&alone)), (true, overhead(&together)));
        assert!(!of(Mode::Sequential, copied, Some(false)).copy);
    }
}
