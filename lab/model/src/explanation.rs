//! Why a test moved, as far as the record says: plain data, made by `explain` and rendered by `report`.

use serde::{Deserialize, Serialize};

use crate::{CodeChange, StackTimes, Verdict, WaitKind};

/// A quantity of one operation on both sides, and the difference with its interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The base's.
    pub base: f64,
    /// The subject's.
    pub subject: f64,
    /// subject − base.
    pub change: f64,
    /// 95 % interval of `change`, from the spread between sessions or rounds; absent for fewer than two.
    pub ci95: Option<[f64; 2]>,
}

/// A part of the time of one operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Which.
    pub name: PartName,
    /// µs per operation.
    pub time: Change,
    /// Share of the whole change in time per operation; negative for a part that went the other way.
    pub share: Option<f64>,
    /// How it is known, where that is not from the measured blocks.
    pub note: String,
}

/// What the time of an operation goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartName {
    /// CPU of the processes that serve it.
    ServerCpu,
    /// CPU of the client.
    ClientCpu,
    /// Ready to run, and no processor free.
    Processor,
    /// Waiting for a disk.
    Disk,
    /// Waiting for other sessions.
    Locks,
    /// The rest: wake-ups, the kernel, waits that nothing here tells apart.
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

/// What sort of cause it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CauseKind {
    /// Settings that differ.
    Setting,
    /// A statement is run another way.
    Plan,
    /// More work per operation.
    ServerCpu,
    /// More work in the client.
    ClientCpu,
    /// The disk.
    Disk,
    /// Locks and latches.
    Locks,
    /// Sessions in each other's way, without a lock that the engine names.
    Contention,
    /// Too few processors.
    Processor,
    /// Nothing that was looked at.
    Other,
}

/// One explanation of the change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cause {
    /// What sort.
    pub kind: CauseKind,
    /// One sentence without a full stop.
    pub what: String,
    /// µs per operation that it accounts for, where that is known.
    pub change_us: Option<f64>,
    /// 95 % interval of `change_us`.
    pub ci95: Option<[f64; 2]>,
    /// Share of the whole change.
    pub share: Option<f64>,
    /// What it rests on, a line each.
    pub evidence: Vec<String>,
}

/// One of the engine's counters, per operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CounterChange {
    /// The engine's name of it.
    pub name: String,
    /// Per operation.
    pub per_operation: Change,
    /// subject / base; absent where the base's is zero.
    pub ratio: Option<f64>,
}

/// One thing that sessions were seen at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaitChange {
    /// Its kind.
    pub kind: WaitKind,
    /// In the engine's own words.
    pub event: String,
    /// Share of the samples on both sides.
    pub share: Change,
}

/// Who decided the value of a setting, the least deliberate first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SettingOrigin {
    /// Nobody: the release's default, or what it makes of the host.
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
    /// Who decided: the most deliberate of the two sides.
    pub origin: SettingOrigin,
}

/// One statement that is run another way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanChange {
    /// The statement.
    pub statement: String,
    /// The base's plan, normalised.
    pub base: Vec<String>,
    /// The subject's.
    pub subject: Vec<String>,
}

/// What one setting carries of the change, measured in fresh blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Carried {
    /// The setting's name.
    pub name: String,
    /// The base's value.
    pub base: Option<String>,
    /// The subject's value.
    pub subject: Option<String>,
    /// ln of what the new side gains by having the base's value back: `(new with old value) / new`.
    pub back: Option<Change>,
    /// ln of what the old side loses by having the new value: `(old with new value) / old`.
    pub forth: Option<Change>,
    /// Share of the whole change that it carries, the mean of both ways, and its interval.
    pub share: Option<f64>,
    /// 95 % interval of `share`.
    pub share_ci95: Option<[f64; 2]>,
    /// Why it could not be measured, where it could not.
    pub note: Option<String>,
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
    /// Where they go; their changes add up to that of `time_us`.
    pub parts: Vec<Part>,
    /// Most likely first.
    pub causes: Vec<Cause>,
    /// Counters that differ, most different first.
    pub counters: Vec<CounterChange>,
    /// What sessions were seen at, most changed first.
    pub waits: Vec<WaitChange>,
    /// Settings that differ, what the user set first.
    pub settings: Vec<SettingChange>,
    /// Statements that are run another way.
    pub plans: Vec<PlanChange>,
    /// What each setting carries, where `--prove` measured it.
    pub carried: Vec<Carried>,
    /// Functions whose own time changed most, where `--profile` sampled them.
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
    /// What was not looked at and why, and what to type.
    pub remarks: Vec<String>,
}
