//! CPU time and context switches of the whole host, from `/proc/stat`. It is for chunks that last seconds, because the
//! kernel formats the file in tens of microseconds and counts CPU time in ticks of 10 ms.

use humdrum_contract::{Outcome, Probe, ProbeContext};
use humdrum_model::Metric;

use crate::file::{KernelFile, counter, number};

/// Enough for the lines of some hundred processors, which come before the switches.
const FILE_BYTES: usize = 64 << 10;

const TICK_NS: i64 = 10_000_000;

pub(crate) fn make(_context: &ProbeContext) -> Option<Box<dyn Probe>> {
    KernelFile::open("/proc/stat", FILE_BYTES)
        .map(|file| Box::new(Host { file, last: [0; 2] }) as Box<dyn Probe>)
}

struct Host {
    file: KernelFile,
    last: [i64; 2],
}

impl Probe for Host {
    fn metrics(&self) -> Vec<Metric> {
        vec![
            counter("host_cpu_ns", "ns", "CPU time of the whole host, user and system"),
            counter("host_switches", "count", "context switches of the whole host"),
        ]
    }

    fn read(&mut self, readings: &mut Vec<i64>) -> Outcome<()> {
        if let Some(now) = self.file.text().and_then(parse) {
            self.last = now;
        }
        readings.extend(self.last);
        Ok(())
    }
}

/// User, nice and system ticks as ns; switches.
fn parse(text: &str) -> Option<[i64; 2]> {
    let ticks = [1, 2, 3].into_iter().map(|place| number(text, place)).sum::<Option<i64>>()?;
    let switches = text.lines().find(|line| line.starts_with("ctxt "))?;
    Some([ticks * TICK_NS, number(switches, 1)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_up_what_ran_and_leaves_out_waiting() {
        let text = "cpu  100 20 30 999 999 0 0 0 0 0\ncpu0 1 1 1 1\nintr 5\nctxt 4711\nbtime 1\n";
        assert_eq!(parse(text), Some([1_500_000_000, 4711]));
        assert_eq!(parse("cpu  1 2 3"), None);
    }
}
