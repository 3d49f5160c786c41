//! `--dry-run`: what a plan would do, how long it would take, what it needs, and which changes it could
//! detect.

use std::fmt::Write;

use humdrum_model::{Design, Dimension, Incomplete, Mode, Plan, Scale, TestInfo, delay_text, memory_text};

use crate::design::{
    once_seconds, paying_seconds, round_overhead_seconds, session_overhead_seconds, session_seconds,
    settle_seconds, shares,
};
use crate::numbers::{listed, size, times, write_data_sets};
use crate::schedule::planned_slice_check;

/// The disk and memory that the run would need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Need {
    /// Bytes of data of one subject (`Workload::bytes`), of its largest data set where it has several.
    pub disk_bytes_per_subject: u64,
    /// Bytes of the copies of one subject's data, if data are brought back from copies: of all its data sets.
    pub copies_bytes_per_subject: u64,
    /// Bytes of memory of one server (`Sizing::memory_bytes`).
    pub memory_bytes_per_subject: u64,
}

impl Need {
    /// Bytes of disk at most, where so many of the plan's subjects have their data on this host.
    pub fn disk_bytes(&self, plan: &Plan, subjects: u64) -> u64 {
        // What is loaded anew is removed before the next one is made.
        let one_at_a_time = plan.mode == Mode::Sequential && plan.design.reload && !plan.design.copy;
        let folders = if one_at_a_time { subjects.min(1) } else { subjects };
        let copies = if plan.design.copy { self.copies_bytes_per_subject } else { 0 };
        self.disk_bytes_per_subject.saturating_add(copies).saturating_mul(folders)
    }
}

/// What a test will show at the end of the run, as fractions. The analysis computes it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outlook {
    /// Half of the width of its interval.
    pub half_width: f64,
    /// The smallest change that it will see with 80 % power.
    pub detectable: f64,
}

/// The plan in words.
pub fn dry_run(plan: &Plan, need: &Need, outlook: &Outlook) -> String {
    let mut text = head(plan);
    // Writing to a String cannot fail.
    let _ = write_schedule(&mut text, plan);
    let _ = write_need(&mut text, plan, need);
    let _ = writeln!(text, "{}", interval(plan, outlook));
    let _ = writeln!(
        text,
        "smallest change seen  {:.2} % (80 % power; at most {:.1} % matters to tests that read, {:.1} % to tests that write)",
        outlook.detectable * 100.0,
        plan.design.delta * 100.0,
        plan.design.delta_writes * 100.0
    );
    text
}

/// How wide intervals will be, and of what that is computed.
pub(crate) fn interval(plan: &Plan, outlook: &Outlook) -> String {
    let Design { confirmation_sessions, assumed_session_sd, .. } = plan.design;
    format!(
        "interval              about ±{:.1} % (95 %) after {confirmation_sessions} sessions, if they differ by {:.1} % (sd)",
        outlook.half_width * 100.0,
        assumed_session_sd * 100.0
    )
}

/// The subjects, suite and scale.
pub(crate) fn head(plan: &Plan) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write_subjects(&mut text, plan);
    text
}

fn write_subjects(text: &mut String, plan: &Plan) -> std::fmt::Result {
    for (index, subject) in plan.subjects.iter().enumerate() {
        let heading = if index == 0 { "base" } else { "subject" };
        let meaning = subject.to_string();
        match meaning == subject.label {
            true => writeln!(text, "{heading:<21} {meaning}")?,
            false => writeln!(text, "{heading:<21} {} ({meaning})", subject.label)?,
        }
    }
    let Scale { name, .. } = &plan.scale;
    let clients = listed(plan, Dimension::Clients);
    let size = size(plan);
    let compat = if plan.compat { ", as the reference does it" } else { "" };
    if let Some(builds) = plan.builds {
        let of = builds.of;
        writeln!(
            text,
            "builds                {of} of each subject, linked in {of} layouts: {of} runs of what follows"
        )?;
    }
    writeln!(text, "suite                 {}, seed {}{compat}", plan.suite, plan.seed)?;
    writeln!(text, "scale                 {name}: {size}, {clients} clients per subject")
}

fn write_schedule(text: &mut String, plan: &Plan) -> std::fmt::Result {
    let design = &plan.design;
    let names = plan.tests_typed();
    let mode = match plan.mode {
        Mode::Interleaved => format!("interleaved in slices of {}", slice_lengths(plan)),
        Mode::Sequential => "one subject at a time".to_owned(),
    };
    writeln!(text, "tests                 {}: {}{}", names.len(), names.join(", "), times(plan))?;
    let sets = plan.data_sets();
    let of_run = |each| design.sessions_of_run(each) * sets.len() as u32;
    writeln!(
        text,
        "schedule              {} sessions to screen, at most {} to confirm, {} per test and session, {mode}",
        of_run(design.screening_sessions),
        of_run(design.confirmation_sessions),
        seconds_per_test(plan)
    )?;
    write_data_sets(text, plan, &sets)?;
    if let Some(spread) = spread(plan) {
        writeln!(text, "subjects              {spread}")?;
    }
    let data = if design.copy { "data copied anew" } else { "data loaded anew" };
    let fresh = [(design.restart, "servers restarted"), (design.reload, data)];
    let fresh: Vec<&str> = fresh.iter().filter(|(is, _)| *is).map(|(_, what)| *what).collect();
    writeln!(
        text,
        "before each session   {}",
        if fresh.is_empty() { "reconnect only".into() } else { fresh.join(", ") }
    )?;
    write_timings(text, plan)?;
    if let Some(check) = planned_slice_check(plan) {
        writeln!(text, "slice check           {} tests with ten times longer slices", check.tests)?;
    }
    let seconds = scheduled_seconds(plan);
    writeln!(
        text,
        "length                at most {} of a budget of {}",
        clock(seconds),
        clock(plan.budget_seconds)
    )
}

/// `3 ms (10 ms where tests write)`; `10 to 40 ms` where some tests have more clients than others.
fn slice_lengths(plan: &Plan) -> String {
    let told = |[least, most]: [f64; 2]| match least == most {
        true => format!("{least} ms"),
        false => format!("{least} to {most} ms"),
    };
    match [false, true].map(|writes| plan.slice_ms_range(writes).map(told)) {
        [Some(read), Some(write)] => format!("{read} ({write} where tests write)"),
        [read, write] => read.or(write).unwrap_or_default(),
    }
}

/// `0.52 s`, or both times if some tests read and some write.
fn seconds_per_test(plan: &Plan) -> String {
    let (read, share) = (plan.design.seconds_per_test_session, plan.design.write_share);
    match plan.tests.iter().filter(|test| test.writes).count() {
        0 => format!("{read:.2} s"),
        writes if writes == plan.tests.len() => format!("{:.2} s", read * share),
        _ => format!("{read:.2} s ({:.2} s where tests write)", read * share),
    }
}

/// The time outside the tests, from the engines' timings.
fn write_timings(text: &mut String, plan: &Plan) -> std::fmt::Result {
    let Plan { design, tests, .. } = plan;
    let sets = plan.data_sets();
    let once = once_seconds(design, &sets);
    let of_each = |seconds: &dyn Fn(&Scale) -> f64| {
        sets.iter().map(|data| format!("{:.1}", seconds(data))).collect::<Vec<_>>().join(", ")
    };
    let sessions = of_each(&|data| session_overhead_seconds(design, data));
    write!(text, "beside the tests      {once:.1} s once, {sessions} s per session")?;
    match tests.iter().any(|test| test.writes) {
        true => writeln!(
            text,
            ", {} s after a test that writes",
            of_each(&|data| paying_seconds(design.session_timings(), data))
        ),
        false => writeln!(text),
    }
}

fn write_need(text: &mut String, plan: &Plan, need: &Need) -> std::fmt::Result {
    let subjects = plan.subjects.len() as u64;
    let at_once = match (plan.mode, plan.design.incomplete) {
        (Mode::Sequential, _) => 1,
        (Mode::Interleaved, incomplete) => {
            incomplete.map_or(subjects, |incomplete| u64::from(incomplete.subjects))
        }
    };
    writeln!(text, "disk                  {}", mebibytes(need.disk_bytes(plan, subjects)))?;
    writeln!(
        text,
        "memory                {}",
        mebibytes(need.memory_bytes_per_subject.saturating_mul(at_once))
    )?;
    if let Some(log) = log_need(plan) {
        writeln!(text, "disk of the results   {log}")?;
    }
    if let Some(bytes) = plan.memory_bytes {
        writeln!(text, "limit                 {} per server, page cache included", memory_text(bytes))?;
    }
    plan.fsync_delay_us.map_or(Ok(()), |delay| {
        writeln!(text, "fsync                 each is held back by {}", delay_text(delay))
    })
}

/// Bytes of the record's log for each block: four pages of SQLite are written anew (docs/fleet.md).
const LOG_BYTES_PER_BLOCK: f64 = 17e3;
/// Milliseconds of a slice beside its operations: probes are read, the block is recorded.
const EDGE_MS: f64 = 0.3;
/// A smaller log is not told of.
const LOG_BYTES_TOLD: f64 = 256.0 * 1024.0 * 1024.0;

/// The disk that the record's log takes at most, where that is much: `up to 2930 MiB beside the record …`. It holds all blocks of a
/// session until the next one begins, many times what they take in the record itself.
pub fn log_need(plan: &Plan) -> Option<String> {
    let design = &plan.design;
    let at_once = match (plan.mode, design.incomplete) {
        (Mode::Sequential, _) => 1,
        (Mode::Interleaved, Some(incomplete)) => incomplete.subjects,
        (Mode::Interleaved, None) => u32::try_from(plan.subjects.len()).unwrap_or(u32::MAX),
    };
    let blocks = |test: &TestInfo| {
        let with_guard_ms =
            plan.slice_ms_of(test) * (1.0 + design.guard_ms / design.slice_ms.max(1.0)) + EDGE_MS;
        let seconds = (design.seconds_of(test) - design.warmup_seconds).max(0.0);
        seconds * 1000.0 / (with_guard_ms * f64::from(at_once))
    };
    let of_session =
        |data: &Scale| plan.tests.iter().filter(|test| test.has_rows(data.rows)).map(blocks).sum::<f64>();
    let most = plan.data_sets().iter().map(of_session).fold(0.0, f64::max);
    let bytes = LOG_BYTES_PER_BLOCK * most;
    (bytes > LOG_BYTES_TOLD)
        .then(|| format!("up to {} beside each record, while a session is measured", mebibytes(bytes as u64)))
}

/// How the subjects are spread over sessions: `sessions have the base and 2 of the 10 other subjects; …`. `None` where every
/// session has all of them.
pub fn spread(plan: &Plan) -> Option<String> {
    let Incomplete { subjects, of, .. } = plan.design.incomplete?;
    let each = plan.design.screening_sessions + plan.design.confirmation_sessions;
    let (beside, others) = (subjects.saturating_sub(1), of.saturating_sub(1));
    Some(format!(
        "sessions have the base and {beside} of the {others} other subjects; each of these has at most {each} sessions"
    ))
}

/// Seconds of the whole schedule, if no test is decided early.
fn scheduled_seconds(plan: &Plan) -> f64 {
    let (design, sets) = (&plan.design, plan.data_sets());
    let overhead = round_overhead_seconds(design, &sets);
    let overhead = overhead + settle_seconds(&plan.tests, design.session_timings(), &plan.scale);
    let round = session_seconds(overhead, plan.tests.len(), 0.0)
        + shares(&plan.tests, design.write_share) * design.seconds_per_test_session;
    let rounds = f64::from(design.sessions_max());
    let check = planned_slice_check(plan).map_or(0.0, |check| check.total_seconds);
    once_seconds(design, &sets) + rounds * round + check
}

pub(crate) fn clock(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, s) => format!("{s} s"),
        (0, m, s) => format!("{m} min {s} s"),
        (h, m, _) => format!("{h} h {m} min"),
    }
}

fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes.div_ceil(1 << 20))
}
