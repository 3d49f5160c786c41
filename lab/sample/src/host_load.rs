//! How much of this host other programs use, by the kernel's counters of time.

use std::fs;

/// Clock ticks at one moment: of all processors together, and of this program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostTicks {
    /// Spent on anything but idling and other guests.
    pub busy: u64,
    /// Idle, or waiting for a disk.
    pub idle: u64,
    /// Given to other guests by the hypervisor.
    pub steal: u64,
    /// Spent on this program: part of `busy`.
    pub own: u64,
}

/// Shares of the time of all processors between two moments.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HostLoad {
    /// Used by other programs and by the kernel for them.
    pub others: f64,
    /// Given to other guests.
    pub steal: f64,
}

impl HostTicks {
    /// Now, from /proc/stat and /proc/self/stat. What cannot be read counts as nothing.
    pub fn now() -> Self {
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        Self::parse(&read("/proc/stat"), &read("/proc/self/stat"))
    }

    /// From the texts of both files.
    fn parse(stat: &str, own: &str) -> Self {
        let line = stat.lines().find_map(|line| line.strip_prefix("cpu ")).unwrap_or_default();
        let ticks: Vec<u64> = line.split_ascii_whitespace().map_while(|word| word.parse().ok()).collect();
        let tick = |index: usize| ticks.get(index).copied().unwrap_or(0);
        // user nice system idle iowait irq softirq steal (guest time is part of user time)
        Self {
            busy: tick(0) + tick(1) + tick(2) + tick(5) + tick(6),
            idle: tick(3) + tick(4),
            steal: tick(7),
            own: own_ticks(own).unwrap_or(0),
        }
    }

    /// The load from `before` to this moment.
    pub fn since(&self, before: &Self) -> HostLoad {
        let grown = |now: u64, then: u64| now.saturating_sub(then) as f64;
        let [busy, own] = [grown(self.busy, before.busy), grown(self.own, before.own)];
        let steal = grown(self.steal, before.steal);
        let all = (busy + grown(self.idle, before.idle) + steal).max(1.0);
        HostLoad { others: (busy - own).max(0.0) / all, steal: steal / all }
    }
}

/// Time of all threads of a program, user and system, and of children that it has waited for: fields 14 to 17, counted after
/// the program's name, which may hold blanks and brackets.
fn own_ticks(stat: &str) -> Option<u64> {
    let fields = stat.rsplit_once(") ")?.1.split_ascii_whitespace();
    fields.skip(11).take(4).map(|field| field.parse::<u64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "cpu  100 10 50 800 40 5 5 30 7 0\ncpu0 1 2 3\nintr 5\n";
    const OWN: &str = "42 (a (b) c) R 1 2 3 4 5 6 7 8 9 10 60 20 4 1 20 0 9 0 100 0";

    #[test]
    fn reads_what_kernels_write() {
        let ticks = HostTicks::parse(STAT, OWN);
        assert_eq!(ticks, HostTicks { busy: 170, idle: 840, steal: 30, own: 85 });
        assert_eq!(HostTicks::parse("", "no process"), HostTicks::default());
    }

    #[test]
    fn our_own_time_is_not_a_load() {
        let before = HostTicks { busy: 1000, idle: 5000, steal: 7, own: 300 };
        let after = HostTicks { busy: 1080, idle: 5100, steal: 27, own: 340 };
        let load = after.since(&before);
        assert_eq!((load.others, load.steal), (40.0 / 200.0, 20.0 / 200.0));
        assert_eq!(before.since(&before), HostLoad::default());
        // Ticks of the two files are not counted at the same moment.
        let ahead = HostTicks { own: 400, ..after };
        assert_eq!(ahead.since(&before).others, 0.0);
    }

    #[test]
    fn this_host_counts() {
        let now = HostTicks::now();
        assert!(now.busy + now.idle > 0, "{now:?}");
    }
}
