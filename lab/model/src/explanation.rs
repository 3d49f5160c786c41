//! Why a test moved, as far as the record tells. `explain` makes this plain data and `report` renders it.

use serde::{Deserialize, Serialize};

use crate::{CodeChange, PlanRows, StackTimes, Verdict, WaitKind};

/// A quantity of one operation on both sides, and the difference with its interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The base's value.
    pub base: f64,
    /// The subject's value.
    pub subject: f64,
    /// subject − base.
    pub change: f64,
    /// 95 % interval of `change`, from the spread between sessions or rounds; absent for fewer than two.
    pub ci95: Option<[f64; 2]>,
}

/// A part of the time of one operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Which part.
    pub name: PartName,
    /// µs per operation.
    pub time: Change,
    /// Share of the whole change in time per operation; negative for a part that changed in the other
    /// direction.
    pub share: Option<f64>,
    /// Its source, if not the measured blocks.
    pub note: String,
}

/// The parts of the time of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartName {
    /// CPU of the processes that serve it.
    ServerCpu,
    /// CPU of the client.
    ClientCpu,
    /// Ready to run, with no processor free.
    Processor,
    /// Waiting for a disk.
    Disk,
    /// Waiting for other sessions.
    Locks,
    /// The rest: wake-ups, the kernel, waits that the lab cannot tell apart.
    Other,
}

impl PartName {
    /// The words used in every output.
    pub fn words(self) -> &'static str {
        match self {
            Self::ServerCpu => "server CPU",
            Self::ClientCpu => "client CPU",
            Self::Processor => "waiting for a processor",
            Self::Disk => "waiting on disk",
            Self::Locks => "waiting on locks",
            Self::Other => "other",
        }
    }
}

/// The kind of a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CauseKind {
    /// Statements that one subject alone ran after its loads.
    AfterLoad,
    /// Settings that differ.
    Setting,
    /// A statement has another query plan.
    Plan,
    /// More work per operation.
    ServerCpu,
    /// More work in threads of the server beside those that serve the clients.
    Background,
    /// More work in the client.
    ClientCpu,
    /// The disk.
    Disk,
    /// Locks and latches.
    Locks,
    /// Sessions that hinder each other without a lock that the engine names.
    Contention,
    /// Too few processors.
    Processor,
    /// A cause that was not examined.
    Other,
}

/// One explanation of the change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cause {
    /// Its kind.
    pub kind: CauseKind,
    /// One sentence without a full stop.
    pub what: String,
    /// µs per operation that it accounts for, if known.
    pub change_us: Option<f64>,
    /// 95 % interval of `change_us`.
    pub ci95: Option<[f64; 2]>,
    /// Share of the whole change.
    pub share: Option<f64>,
    /// The evidence for it, a line each.
    pub evidence: Vec<String>,
}

/// One of the engine's counters, per operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CounterChange {
    /// The engine's name for it.
    pub name: String,
    /// Its growth per operation.
    pub per_operation: Change,
    /// subject / base; absent where the base's growth is zero.
    pub ratio: Option<f64>,
}

/// One event that sessions were waiting for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaitChange {
    /// Its kind.
    pub kind: WaitKind,
    /// The event in the engine's own words.
    pub event: String,
    /// Its share of the samples of each side.
    pub share: Change,
}

/// One event that threads of the server waited for, as the server counts it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaitedChange {
    /// Its kind.
    pub kind: WaitKind,
    /// The event in the engine's own words.
    pub event: String,
    /// µs of an operation, all threads together.
    pub time: Change,
    /// How often a thread waited, per operation.
    pub times: Change,
}

/// Where the value of a setting comes from, the least deliberate first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SettingOrigin {
    /// The release's default, or what it derives from the host.
    Default,
    /// A configuration, of the lab or named by the user.
    Configuration,
    /// The user typed it.
    User,
}

/// One setting on both sides; `None` where a subject does not know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingChange {
    /// The setting's name.
    pub name: String,
    /// The base's value.
    pub base: Option<String>,
    /// The subject's value.
    pub subject: Option<String>,
    /// Where the values come from: the more deliberate of the two sides.
    pub origin: SettingOrigin,
}

/// How the note of a test begins whose query plans differ between base and subject.
pub const PLAN_CHANGED: &str = "plan changed: ";

/// One statement with two query plans.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanChange {
    /// The statement.
    pub statement: String,
    /// The base's plan, normalised.
    pub base: Vec<String>,
    /// The subject's plan, normalised.
    pub subject: Vec<String>,
    /// The base's plan in its server's words, with the rows and costs that it estimates, and actual rows where these are told in
    /// the same form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub base_told: Vec<String>,
    /// The subject's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subject_told: Vec<String>,
    /// The base's actual rows, where these are told in another form or not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_rows: Option<PlanRows>,
    /// The subject's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject_rows: Option<PlanRows>,
}

impl PlanChange {
    /// Both plans as they are shown: with estimates and actual rows where these are known.
    pub fn shown(&self) -> [Vec<String>; 2] {
        let sides = [
            (&self.base_told, &self.base, &self.base_rows),
            (&self.subject_told, &self.subject, &self.subject_rows),
        ];
        sides.map(|(told, plain, rows)| {
            let mut lines = if told.is_empty() { plain.clone() } else { told.clone() };
            match rows {
                None => {}
                Some(PlanRows::Told(run)) => {
                    lines.push("run once, with actual rows:".to_owned());
                    lines.extend(run.iter().map(|line| format!("  {line}")));
                }
                Some(PlanRows::NotTold(why)) => lines.push(format!("actual rows are not told: {why}")),
            }
            lines
        })
    }
}

/// The share of the change that one setting carries, measured in new blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Carried {
    /// The setting's name.
    pub name: String,
    /// The base's value.
    pub base: Option<String>,
    /// The subject's value.
    pub subject: Option<String>,
    /// ln of the subject's gain with the base's value: `(subject with base's value) / subject`.
    pub back: Option<Change>,
    /// ln of the base's loss with the subject's value: `(base with subject's value) / base`.
    pub forth: Option<Change>,
    /// Share of the whole change that it carries: the mean of both ways.
    pub share: Option<f64>,
    /// 95 % interval of `share`.
    pub share_ci95: Option<[f64; 2]>,
    /// Why it could not be measured, if it could not.
    pub note: Option<String>,
    /// Whether the subject with the base's value has the base's query plans again; `None` where no plan differs, or its plans are not on
    /// record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restores_plan: Option<bool>,
}

/// Why one test of one comparison moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// The test's name.
    pub test: String,
    /// The base's label.
    pub base: String,
    /// The subject's label.
    pub subject: String,
    /// The verdict that is explained.
    pub verdict: Option<Verdict>,
    /// Throughput relative to the base.
    pub rqps: Option<f64>,
    /// Its interval.
    pub ci95: Option<[f64; 2]>,
    /// µs of one operation.
    pub time_us: Option<Change>,
    /// The parts of that time; their changes add up to that of `time_us`.
    pub parts: Vec<Part>,
    /// Most likely first.
    pub causes: Vec<Cause>,
    /// Counters that differ, most different first.
    pub counters: Vec<CounterChange>,
    /// Counters that do not, by name: those that both sides count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unchanged: Vec<CounterChange>,
    /// The waits of sessions, most changed first.
    pub waits: Vec<WaitChange>,
    /// Waits that both servers counted and that changed, by change. Threads beside the sessions wait too, so that the times are
    /// no parts of `time_us`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waited: Vec<WaitedChange>,
    /// What the two ran after their loads, as `LABEL: STATEMENT`; empty where they ran the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after_load: Vec<String>,
    /// Settings that differ, what the user set first.
    pub settings: Vec<SettingChange>,
    /// Statements whose query plans differ.
    pub plans: Vec<PlanChange>,
    /// The carried share of each setting that `--prove` measured.
    pub carried: Vec<Carried>,
    /// Functions whose own time changed most, if `--profile` sampled them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub code: Vec<CodeChange>,
    /// All stacks that were sampled on a processor.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stacks: Vec<StackTimes>,
    /// Where sessions waited, by stack, longest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<CodeChange>,
    /// All stacks that sessions waited in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting_stacks: Vec<StackTimes>,
    /// What was not examined and why, and what to type.
    pub remarks: Vec<String>,
}
