//! What the kernel counts of a server between two readings: context switches of the threads that serve the clients, the work of
//! all its threads by kind, and what the device that holds its data did.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use humdrum_contract::ThreadWork;
use humdrum_model::{BACKGROUND, CounterDelta, DEVICE, SESSIONS, SWITCHES, ThreadCount};

use crate::catalogue::HostProbes;

/// One reading.
pub(crate) struct Reading {
    switches: Option<[u64; 2]>,
    threads: Vec<ThreadWork>,
    /// As `DEVICE` names it.
    device: Option<[u64; 5]>,
}

impl Reading {
    /// `serving` are the threads that serve the clients, `server` all that it had before. `data` is where its data are, if no other
    /// server uses that device before the second reading.
    pub(crate) fn take(host: &HostProbes, serving: &[u32], server: &[u32], data: Option<&Path>) -> Self {
        let mut ids = [serving, server].concat();
        ids.sort_unstable();
        ids.dedup();
        let (switches, threads) = ((host.switches)(serving), (host.threads)(&ids));
        Self { switches, threads, device: data.and_then(host.device) }
    }

    /// By how much the counters grew from this reading to `after`. A kind that did nothing is left out.
    pub(crate) fn until(&self, after: &Self, serving: &[u32]) -> Vec<CounterDelta> {
        let mut grown = counted(SWITCHES, self.switches.zip(after.switches));
        grown.extend(counted(DEVICE, self.device.zip(after.device)));
        for (kind, [cpu_ns, wakeups]) in self.work_until(after, serving) {
            if cpu_ns > 0 {
                let name = ThreadCount::Cpu.counter(kind);
                grown.push(CounterDelta { name, delta: cpu_ns as f64 / 1e3 });
            }
            // Those of sessions are the voluntary switches above.
            if wakeups > 0 && kind != SESSIONS {
                let name = ThreadCount::Wakeups.counter(kind);
                grown.push(CounterDelta { name, delta: wakeups as f64 });
            }
        }
        grown
    }

    /// CPU ns and wake-ups by kind.
    fn work_until<'a>(&self, after: &'a Self, serving: &[u32]) -> BTreeMap<&'a str, [u64; 2]> {
        let before: HashMap<u32, &ThreadWork> = self.threads.iter().map(|one| (one.id, one)).collect();
        let serves = |one: &ThreadWork| serving.contains(&one.id);
        let mut others = after.threads.iter().filter(|one| !serves(one)).map(|one| one.kind.as_str());
        let first = others.next();
        let unnamed =
            others.next().is_some_and(|next| Some(next) == first) && others.all(|kind| Some(kind) == first);
        let mut kinds: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
        for now in &after.threads {
            let Some(then) = before.get(&now.id) else { continue };
            let kind = match () {
                () if serves(now) => SESSIONS,
                () if unnamed => BACKGROUND,
                () => now.kind.as_str(),
            };
            let sum = kinds.entry(kind).or_default();
            sum[0] += now.cpu_ns.saturating_sub(then.cpu_ns);
            sum[1] += now.wakeups.saturating_sub(then.wakeups);
        }
        kinds
    }
}

/// By how much the counters of these names grew; none where the host does not show them.
fn counted<const N: usize>(names: [&str; N], counts: Option<([u64; N], [u64; N])>) -> Vec<CounterDelta> {
    let Some((before, after)) = counts else { return Vec::new() };
    let deltas = before.into_iter().zip(after).map(|(before, after)| after.saturating_sub(before) as f64);
    names.into_iter().zip(deltas).map(|(name, delta)| CounterDelta { name: name.into(), delta }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(switches: Option<[u64; 2]>, threads: &[(u32, &str, u64, u64)]) -> Reading {
        let thread = |(id, kind, cpu_ns, wakeups): &(u32, &str, u64, u64)| ThreadWork {
            id: *id,
            kind: (*kind).to_owned(),
            cpu_ns: *cpu_ns,
            wakeups: *wakeups,
        };
        Reading { switches, threads: threads.iter().map(thread).collect(), device: None }
    }

    #[test]
    fn what_a_device_did_has_its_names() {
        let reading = |device| Reading { device, ..reading(None, &[]) };
        let grown = reading(Some([5, 40, 7, 70, 0])).until(&reading(Some([8, 64, 7, 70, 1])), &[]);
        let told: Vec<(&str, f64)> = grown.iter().map(|one| (one.name.as_str(), one.delta)).collect();
        let writes = [("device.writes", 0.0), ("device.write_kib", 0.0), ("device.flushes", 1.0)];
        assert_eq!(told[..2], [("device.reads", 3.0), ("device.read_kib", 24.0)]);
        assert_eq!(told[2..], writes);
        assert!(reading(None).until(&reading(Some([0; 5])), &[]).is_empty());
    }

    #[test]
    fn threads_of_one_kind_are_added_up_and_those_at_rest_left_out() {
        let before = reading(
            Some([5, 1]),
            &[
                (1, "io", 1_000, 1),
                (2, "io", 2_000, 2),
                (3, "rest", 7, 7),
                (4, "bench idle", 0, 0),
                (5, "gone", 1, 1),
            ],
        );
        let after = reading(
            Some([9, 1]),
            &[
                (1, "io", 4_000, 2),
                (2, "io", 4_500, 2),
                (3, "rest", 7, 7),
                (4, "bench idle", 500, 3),
                (6, "new", 9, 9),
            ],
        );
        let grown = before.until(&after, &[4]);
        let told: Vec<(&str, f64)> = grown.iter().map(|one| (one.name.as_str(), one.delta)).collect();
        assert_eq!(
            told,
            [
                ("switches.voluntary", 4.0),
                ("switches.involuntary", 0.0),
                ("thread.io.cpu_us", 5.5),
                ("thread.io.wakeups", 1.0),
                ("thread.sessions.cpu_us", 0.5),
            ]
        );
        let unnamed =
            |cpu_ns| reading(None, &[(1, "mysqld", cpu_ns, 0), (2, "mysqld", 0, 0), (4, "mysqld", 0, 0)]);
        let grown = unnamed(0).until(&unnamed(2_000), &[4]);
        assert_eq!((grown[0].name.as_str(), grown[0].delta), ("thread.background.cpu_us", 2.0));
        assert_eq!(reading(None, &[]).until(&reading(None, &[]), &[]), []);
    }
}
