//! The start gate: whether the host is busy before anything is measured, and what to do if it is.
//!
//! A check takes `CHECK`. It finds the host busy for one of three reasons, which are fixed beforehand:
//!
//! - *load*: other programs use more than `MOST_LOAD` of all processors;
//! - *steal*: the hypervisor gives more than `MOST_STEAL` of them to other guests;
//! - *kernel*: more than a tenth of the check's readings of the calibration kernel are off, by limits that these same
//!   readings set (`disturbed.rs`).

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use humdrum_contract::{Clock, Interrupt, Outcome};
use humdrum_model::Fault;

use crate::disturbed::Limits;
use crate::host_load::{HostLoad, HostTicks};
use crate::kernel::{HostKernel, KernelReading};

/// How long a check takes.
const CHECK: Duration = Duration::from_secs(1);

/// Readings of the calibration kernel in a check, evenly spread.
const READINGS: u32 = 20;

/// The pause between two checks while waiting.
const PAUSE: Duration = Duration::from_secs(4);

/// Share of all processors' time that other programs may use.
const MOST_LOAD: f64 = 0.10;

/// Share of all processors' time that other guests may have.
const MOST_STEAL: f64 = 0.05;

/// Share of a check's readings that may be off.
const MOST_OFF: f64 = 0.10;

/// What to do when the host is busy before anything is measured: `--on-busy`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnBusy {
    /// Wait until it is quiet, for at most the time allowed; then measure with a warning.
    #[default]
    Wait,
    /// Do not measure.
    Refuse,
    /// Measure with a warning.
    Warn,
}

impl fmt::Display for OnBusy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Wait => "wait",
            Self::Refuse => "refuse",
            Self::Warn => "warn",
        })
    }
}

impl FromStr for OnBusy {
    type Err = Fault;

    fn from_str(word: &str) -> Outcome<Self> {
        match word {
            "wait" => Ok(Self::Wait),
            "refuse" => Ok(Self::Refuse),
            "warn" => Ok(Self::Warn),
            _ => Err(Fault::usage(format!("`{word}` is not what can be done on a busy host"))
                .hint("--on-busy wait, --on-busy refuse or --on-busy warn")),
        }
    }
}

/// The result of one check of the host.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostCheck {
    /// The load of others.
    pub load: HostLoad,
    /// Readings of the calibration kernel; none where there is no kernel.
    pub readings: Vec<KernelReading>,
}

impl HostCheck {
    /// Checks this host for a second, with the calibration kernel where one is given.
    ///
    /// # Errors
    /// Interrupted; environment, when the kernel cannot run.
    pub fn take(kernel: Option<&mut HostKernel>, clock: &dyn Clock, interrupt: &Interrupt) -> Outcome<Self> {
        let before = HostTicks::now();
        let mut kernel = kernel;
        let mut readings = Vec::new();
        for _ in 0..READINGS {
            interrupt.check()?;
            readings.extend(kernel.as_mut().map(|kernel| kernel.measure()).transpose()?);
            clock.sleep(CHECK / READINGS);
        }
        Ok(Self { load: HostTicks::now().since(&before), readings })
    }

    /// Why the host is busy, in words; nothing for a quiet one.
    pub fn reasons(&self) -> Vec<String> {
        let percent = |share: f64| format!("{:.0} %", share * 100.0);
        let mut reasons = Vec::new();
        if self.load.others > MOST_LOAD {
            reasons.push(format!("other programs use {} of all processors", percent(self.load.others)));
        }
        if self.load.steal > MOST_STEAL {
            reasons
                .push(format!("the hypervisor gives {} of them to other guests", percent(self.load.steal)));
        }
        reasons.extend(self.kernel_off());
        reasons
    }

    fn kernel_off(&self) -> Option<String> {
        let limits = Limits::of_all(&self.readings)?;
        let broken: Vec<String> =
            self.readings.iter().filter_map(|reading| limits.broken_by(reading)).collect();
        let share = broken.len() as f64 / self.readings.len() as f64;
        let last = broken.last().filter(|_| share > MOST_OFF)?;
        Some(format!("{} of {} readings are off ({last})", broken.len(), self.readings.len()))
    }
}

/// What the start gate found, for the record and the headline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gate {
    /// Why the host was busy at the last check; empty where it was quiet.
    pub busy: Vec<String>,
    /// Number of checks.
    pub checks: u32,
    /// Time that all checks and pauses took; zero where one check was enough.
    pub waited: Duration,
}

impl Gate {
    /// The warning for the headline; `None` where the host was quiet in the end.
    pub fn warning(&self) -> Option<String> {
        let waited = self.waited.as_secs();
        let waited = if waited > 0 { format!(" (after {waited} s of waiting)") } else { String::new() };
        (!self.busy.is_empty())
            .then(|| format!("the host was busy when measuring began{waited}: {}", self.busy.join("; ")))
    }
}

/// Checks the host until it is quiet, as `on_busy` says, and for at most `at_most`. `check` calls `HostCheck::take`; tests
/// pass something else.
///
/// # Errors
/// Environment, when the host is busy and `on_busy` is to refuse; interrupted; those of `check`.
pub fn start_gate(
    on_busy: OnBusy,
    at_most: Duration,
    clock: &dyn Clock,
    interrupt: &Interrupt,
    mut check: impl FnMut() -> Outcome<HostCheck>,
) -> Outcome<Gate> {
    let begin_ns = clock.now_ns();
    let mut checks = 0;
    loop {
        interrupt.check()?;
        let busy = check()?.reasons();
        checks += 1;
        let passed = Duration::from_nanos(clock.now_ns() - begin_ns);
        // The first check is made in any case; only time after it is waiting.
        let waited = if checks > 1 { passed } else { Duration::ZERO };
        match on_busy {
            OnBusy::Refuse if !busy.is_empty() => return Err(refused(&busy)),
            OnBusy::Wait if !busy.is_empty() && passed < at_most => {
                pause(clock, interrupt, PAUSE.min(at_most - passed))?;
            }
            _ => return Ok(Gate { busy, checks, waited }),
        }
    }
}

/// Sleeps in short pieces, so that Ctrl-C takes effect at once.
fn pause(clock: &dyn Clock, interrupt: &Interrupt, length: Duration) -> Outcome<()> {
    const PIECE: Duration = Duration::from_millis(100);
    let mut left = length;
    while !left.is_zero() {
        interrupt.check()?;
        clock.sleep(left.min(PIECE));
        left = left.saturating_sub(PIECE);
    }
    Ok(())
}

fn refused(busy: &[String]) -> Fault {
    Fault::environment(format!("the host is busy: {}", busy.join("; ")))
        .hint("stop other programs, or type `--on-busy wait` or `--on-busy warn`")
}

#[cfg(test)]
mod tests;
