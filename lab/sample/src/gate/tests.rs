//! The gate on a clock that only sleeping advances, with simulated checks.

use std::sync::atomic::{AtomicU64, Ordering};

use super::*;

/// Sleeping is all that takes time.
#[derive(Default)]
struct Asleep(AtomicU64);

impl Clock for Asleep {
    fn now_ns(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn thread_cpu_ns(&self) -> u64 {
        0
    }

    fn sleep(&self, duration: Duration) {
        self.0.fetch_add(duration.as_nanos() as u64, Ordering::Relaxed);
    }
}

fn loaded(others: f64) -> HostCheck {
    HostCheck { load: HostLoad { others, steal: 0.0 }, readings: Vec::new() }
}

/// Busy for so many checks of a second each.
fn gate(on_busy: OnBusy, at_most_s: u64, busy_checks: u32) -> Outcome<Gate> {
    let clock = Asleep::default();
    let mut taken = 0;
    start_gate(on_busy, Duration::from_secs(at_most_s), &clock, &Interrupt::new(), || {
        clock.sleep(CHECK);
        taken += 1;
        Ok(loaded(if taken <= busy_checks { 0.5 } else { 0.0 }))
    })
}

#[test]
fn a_quiet_host_is_checked_once() {
    for on_busy in [OnBusy::Wait, OnBusy::Refuse, OnBusy::Warn] {
        let found = gate(on_busy, 60, 0).expect("quiet");
        assert_eq!((found.checks, found.waited, found.warning()), (1, Duration::ZERO, None));
    }
}

#[test]
fn a_busy_host_is_waited_for() {
    let found = gate(OnBusy::Wait, 60, 3).expect("quiet in the end");
    // Checks of one second and pauses of four.
    assert_eq!((found.checks, found.waited), (4, Duration::from_secs(16)));
    assert_eq!(found.warning(), None);
}

#[test]
fn waiting_ends_with_a_warning() {
    let found = gate(OnBusy::Wait, 12, u32::MAX).expect("measured all the same");
    assert_eq!(found.checks, 4);
    let warning = found.warning().expect("a warning");
    assert_eq!(
        warning,
        "the host was busy when measuring began (after 13 s of waiting): other programs use 50 % of all processors"
    );
    assert_eq!(gate(OnBusy::Wait, 0, u32::MAX).expect("measured").checks, 1);
}

#[test]
fn a_busy_host_is_refused_or_warned_of_at_once() {
    let fault = gate(OnBusy::Refuse, 60, 1).expect_err("refused");
    assert!(fault.exit_code() == 3 && fault.hint.as_ref().is_some_and(|hint| hint.contains("--on-busy")));
    let found = gate(OnBusy::Warn, 60, 1).expect("measured");
    assert_eq!((found.checks, found.waited), (1, Duration::ZERO));
    assert!(found.warning().is_some_and(|text| text.starts_with("the host was busy when measuring began: ")));
}

#[test]
fn ctrl_c_ends_a_wait() {
    let (clock, interrupt) = (Asleep::default(), Interrupt::new());
    let ended = start_gate(OnBusy::Wait, Duration::from_secs(60), &clock, &interrupt, || {
        interrupt.set();
        Ok(loaded(1.0))
    });
    assert_eq!(ended.expect_err("interrupted").exit_code(), 130);
    assert_eq!(clock.now_ns(), 0);
}

#[test]
fn each_reason_is_told() {
    assert!(loaded(MOST_LOAD).reasons().is_empty());
    let stolen = HostCheck { load: HostLoad { others: 0.0, steal: 0.2 }, readings: Vec::new() };
    assert_eq!(stolen.reasons(), ["the hypervisor gives 20 % of them to other guests"]);
    let reading = |call_ns| KernelReading { integer_ns: 1.0, memory_ns: 90.0, call_ns };
    let mut readings = vec![reading(4000.0); 18];
    readings.extend([reading(9000.0); 2]);
    let check = |readings| HostCheck { readings, ..HostCheck::default() };
    assert!(check(readings.clone()).reasons().is_empty(), "a tenth may be off");
    readings[0] = reading(8000.0);
    let told = check(readings).reasons();
    assert_eq!(
        told,
        [
            "3 of 20 readings are off (calibration kernel, system calls: 9000.0 ns a step, usual 4000.0, limit 4800.0)"
        ]
    );
}

#[test]
fn words_are_read_back() {
    for on_busy in [OnBusy::Wait, OnBusy::Refuse, OnBusy::Warn] {
        assert_eq!(on_busy.to_string().parse::<OnBusy>(), Ok(on_busy));
    }
    assert_eq!("later".parse::<OnBusy>().expect_err("no such word").exit_code(), 2);
    assert_eq!(OnBusy::default(), OnBusy::Wait);
}

#[test]
fn this_host_can_be_checked() {
    let mut kernel = HostKernel::new().expect("a kernel");
    let check = HostCheck::take(Some(&mut kernel), &Asleep::default(), &Interrupt::new()).expect("a check");
    assert_eq!(check.readings.len(), READINGS as usize);
    assert!(check.readings.iter().all(|reading| reading.integer_ns > 0.0 && reading.call_ns > 0.0));
}
