//! Results of a test beside its throughput and the interval of this run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Verdict;

/// The speed of a typical slice, if it differs from the throughput.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Typical {
    /// Ratio of a typical slice: the trimmed mean over pairs of slices.
    pub ratio: f64,
    /// Share of the base's time beyond that of typical slices.
    pub base_stalls: f64,
    /// The same share of the subject.
    pub stalls: f64,
}

/// Discarded blocks by the subject in whose slice the host disturbed them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Blame {
    /// Blocks discarded for a slice of the base.
    pub base: u64,
    /// Blocks discarded for a slice of the subject.
    pub subject: u64,
    /// Two-sided exact p of "both are equally likely".
    pub p: f64,
}

/// How the ratio differs between the end of slices and their beginning.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CarryOver {
    /// Ratio in the last quarter of a slice's operations over the ratio in the first.
    pub late_over_early: f64,
    /// Its 95 % interval.
    pub ci95: [f64; 2],
    /// Ratio in the last quarter.
    pub late: f64,
}

/// How far a ratio carries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reach {
    /// 95 % prediction interval of the ratio that another run on this host would have.
    pub another_run: [f64; 2],
    /// The source of the variance between runs: the runs themselves, this host's history, or a record.
    pub basis: String,
    /// That interval gives the same verdict as this run.
    pub bears_out: bool,
    /// It is the interval for another host, from runs on several; else for another run on this host.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub over_hosts: bool,
    /// Hosts by the kind of their processor, where enough of them were measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kinds: Option<KindsOfHosts>,
}

impl Reach {
    /// Of one host.
    pub fn here(another_run: [f64; 2], basis: String, bears_out: bool) -> Self {
        Self { another_run, basis, bears_out, over_hosts: false, kinds: None }
    }
}

/// How far a ratio carries to other hosts with a processor of the same generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KindsOfHosts {
    /// Standard deviation of the ln ratio between hosts of one kind.
    pub sd_within: f64,
    /// The same between kinds; `None` for fewer than three.
    pub sd_between: Option<f64>,
    /// In the order of their first hosts.
    pub kinds: Vec<KindOfHosts>,
}

/// One generation of processors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KindOfHosts {
    /// The generation: `AMD Zen 3`.
    pub generation: String,
    /// How many hosts of it were measured.
    pub hosts: usize,
    /// The mean ratio of these.
    pub rqps: f64,
    /// 95 % prediction interval of the ratio on another host of this kind; `None` for a kind with a single host.
    pub another_host: Option<[f64; 2]>,
    /// What that interval says: wholly beyond δ, wholly within, or neither. It is not corrected for the number of tests.
    pub verdict: Option<Verdict>,
}

/// By a subject's place beside the base and a test's name: the 95 % prediction interval of the ratio on another host.
pub type OverHosts = BTreeMap<(usize, String), [f64; 2]>;

/// The ratio that one run finds as a multiple of what another one finds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// The multiple.
    pub ratio: f64,
    /// Its 95 % interval.
    pub ci95: [f64; 2],
}

/// By a subject's place beside the base and a test's name.
pub type Differences = BTreeMap<(usize, String), Difference>;

/// The result of a test in one of several runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRatio {
    /// When the run began, RFC 3339.
    pub started: String,
    /// Its ratio of throughputs.
    pub rqps: Option<f64>,
    /// The 95 % interval of that run.
    pub ci95: Option<[f64; 2]>,
    /// The verdict on that run.
    pub verdict: Option<Verdict>,
    /// The layout of the run's builds, where each run has builds of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<u32>,
    /// The processor's generation, where the runs are of several hosts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
}

/// How much the builds of runs differ that each have builds of their own, in ln units. One build lies in each side of a ratio.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BuildLevel {
    /// Runs, each with a build of each subject.
    pub builds: u32,
    /// Standard deviation of a run's ratio beyond what its sessions tell: two builds and, as runs have hours of their own, the hour.
    pub sd_between: f64,
    /// Standard error of a run's ratio from its sessions (root mean square): what one build shows of itself.
    pub sd_within: f64,
}

/// One script of a mix: what it carries of the mix, and how it moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScriptResult {
    /// Its name, that of a test.
    pub script: String,
    /// Its share of the mix's operations, from 0 to 1.
    pub operations: f64,
    /// Its share of the base's time.
    pub base_time: f64,
    /// Its share of the subject's time.
    pub time: f64,
    /// The verdict on its throughput within the mix: a regression is a ratio below 1 - δ.
    pub judged: Judgement,
}

/// The verdict on another quantity than the throughput of a test: of `cpu` and `p99`, more is worse.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// Subject over base.
    pub ratio: f64,
    /// 95 % interval.
    pub ci95: [f64; 2],
    /// p of "the change is at most δ", adjusted for the family of this quantity.
    pub p_adjusted: Option<f64>,
    /// The δ of this quantity.
    pub delta: f64,
    /// The verdict; a regression is a ratio above 1 + δ.
    pub verdict: Verdict,
}
