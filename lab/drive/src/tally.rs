//! The measurements of the threads of a slice, and their sum.

use humdrum_model::Fault;

/// The measurements of one thread.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) start_ns: u64,
    pub(crate) end_ns: u64,
    /// How many threads it sums up, and the sum of the times from their starts to their ends.
    pub(crate) threads: u64,
    pub(crate) busy_ns: u64,
    pub(crate) rows: u64,
    pub(crate) cpu_ns: u64,
    /// When each of the first three quarters of the counted operations ended; zero if this thread did not see
    /// it.
    pub(crate) quarter_ns: [u64; 3],
    /// Of a mix, by script: counted operations and their time, ns. Else empty.
    pub(crate) scripts: Vec<[u64; 2]>,
    pub(crate) fault: Option<Fault>,
}

impl Tally {
    /// Counts an operation of a script.
    #[inline]
    pub(crate) fn count_script(&mut self, script: usize, ns: u64) {
        if let Some([operations, time_ns]) = self.scripts.get_mut(script) {
            *operations += 1;
            *time_ns += ns;
        }
    }

    /// The sum of both threads, from the first start to the last end.
    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.start_ns = self.start_ns.min(other.start_ns);
        self.end_ns = self.end_ns.max(other.end_ns);
        self.threads += other.threads;
        self.busy_ns += other.busy_ns;
        self.rows += other.rows;
        self.cpu_ns += other.cpu_ns;
        self.fault = self.fault.or(other.fault);
        for (own, other) in self.scripts.iter_mut().zip(&other.scripts) {
            (own[0], own[1]) = (own[0] + other[0], own[1] + other[1]);
        }
        for (own, other) in self.quarter_ns.iter_mut().zip(other.quarter_ns) {
            *own = (*own).max(other);
        }
        self
    }

    /// Nanoseconds between the first start and the last end in which a thread had not started or had ended, the mean over the
    /// threads. `None` for one thread.
    pub(crate) fn idle_ns(&self) -> Option<u64> {
        let mean = self.busy_ns.checked_div(self.threads).filter(|_| self.threads > 1)?;
        Some(self.end_ns.saturating_sub(self.start_ns).saturating_sub(mean))
    }

    /// Nanoseconds from the start to the end of each of the first three quarters, where they were taken.
    pub(crate) fn quarters(&self) -> Option<[u64; 3]> {
        let taken = self.quarter_ns.iter().all(|ns| *ns > 0);
        taken.then(|| self.quarter_ns.map(|ns| ns.saturating_sub(self.start_ns)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarters_of_all_threads_count_from_the_first_start() {
        let one = Tally { start_ns: 100, quarter_ns: [150, 0, 250], ..Tally::default() };
        let other = Tally { start_ns: 110, quarter_ns: [0, 200, 0], ..Tally::default() };
        assert_eq!(one.merge(other).quarters(), Some([50, 100, 150]));
        assert_eq!(Tally { start_ns: 100, quarter_ns: [150, 0, 250], ..Tally::default() }.quarters(), None);
    }

    #[test]
    fn scripts_of_all_threads_are_added_up() {
        let of = |scripts: &[[u64; 2]]| Tally { scripts: scripts.to_vec(), ..Tally::default() };
        assert_eq!(of(&[[3, 30], [0, 0]]).merge(of(&[[1, 12], [2, 50]])).scripts, [[4, 42], [2, 50]]);
    }

    #[test]
    fn threads_are_idle_before_they_start_and_after_they_end() {
        let of = |start_ns: u64, end_ns: u64| Tally {
            start_ns,
            end_ns,
            threads: 1,
            busy_ns: end_ns - start_ns,
            ..Tally::default()
        };
        assert_eq!(of(100, 200).idle_ns(), None);
        assert_eq!(of(100, 190).merge(of(110, 200)).idle_ns(), Some(10));
        assert_eq!(of(100, 200).merge(of(100, 200)).idle_ns(), Some(0));
    }
}
