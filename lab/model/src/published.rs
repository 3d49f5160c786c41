//! Published ratios beside measured ones, and how well they agree.

use serde::{Deserialize, Serialize};

use crate::{Difference, Rate, ShareRow, Verdict};

/// A published ratio of throughputs. Figures are facts; who published them is named.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Published {
    /// Short name of the publication.
    pub post: String,
    /// Its title.
    pub title: String,
    /// Its date, as printed; empty if unknown.
    pub date: String,
    /// The engine.
    pub engine: String,
    /// The benchmark, as suites are named; empty if it does not say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub benchmark: String,
    /// The machine.
    pub server: String,
    /// Clients, rows and configuration, as far as they were published.
    pub condition: String,
    /// Clients, where the publication gives one number of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients: Option<u32>,
    /// Release that the ratio is relative to.
    pub base: String,
    /// Release that was compared with it.
    pub subject: String,
    /// The test.
    pub test: String,
    /// subject / base.
    pub ratio: f64,
    /// Half a unit of the last digit that was printed: the true figure lies within.
    pub rounding: f64,
    /// 95 % interval, of a figure that this lab measured on another host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ci95: Option<[f64; 2]>,
    /// What the publication says beside the figure.
    pub note: String,
}

/// A published figure that is no ratio of throughputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OtherFigure {
    /// Short name of the publication.
    pub post: String,
    /// Its title.
    pub title: String,
    /// Its date, as printed; empty if unknown.
    pub date: String,
    /// The engine.
    pub engine: String,
    /// The machine.
    pub server: String,
    /// Clients, rows and configuration, as far as they were published.
    pub condition: String,
    /// Release that the figure is relative to; empty for an absolute figure.
    pub base: String,
    /// The release.
    pub subject: String,
    /// The test.
    pub test: String,
    /// The metric, as the table names it.
    pub metric: String,
    /// The figure, as printed.
    pub value: String,
    /// Why nothing that was measured is compared with it.
    pub why: NotComparable,
}

impl OtherFigure {
    /// Its source, releases and test as those of a ratio, without the figure.
    pub fn head(&self) -> Published {
        Published {
            post: self.post.clone(),
            title: self.title.clone(),
            date: self.date.clone(),
            engine: self.engine.clone(),
            server: self.server.clone(),
            condition: self.condition.clone(),
            base: self.base.clone(),
            subject: self.subject.clone(),
            test: self.test.clone(),
            ..Published::default()
        }
    }
}

/// One measured ratio.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The host, as reports name it, or the name that the user gave the results.
    pub host: String,
    /// The engine.
    pub engine: String,
    /// The suite; empty where a table has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub suite: String,
    /// The base's release.
    pub base: String,
    /// The subject's release.
    pub subject: String,
    /// What was set, as it could be typed (`+gtid`); empty for an engine as it comes.
    pub settings: String,
    /// Its group of tests; empty where a table has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// The test.
    pub test: String,
    /// subject / base.
    pub ratio: f64,
    /// 95 % interval for that run.
    pub ci95: [f64; 2],
    /// 95 % interval for another run on that host, if it is known.
    pub another_run: Option<[f64; 2]>,
    /// The results are of several hosts: `another_run` is the interval for another host.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub over_hosts: bool,
    /// The verdict, if there is one.
    pub verdict: Option<Verdict>,
    /// The δ of the verdict.
    pub delta: f64,
}

impl Measured {
    /// The 95 % interval for another run where it is known, else the run's own.
    pub fn interval(&self) -> [f64; 2] {
        self.another_run.unwrap_or(self.ci95)
    }
}

/// How a measured ratio compares with a published one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Agreement {
    /// The published figure, as far as its digits go, lies in the interval; of two measured ones, their difference has an
    /// interval with 0.
    Agrees,
    /// It does not, but both are faster, both slower, or both within δ.
    SameDirection,
    /// Neither.
    Differs,
    /// No run measured this test with releases of these series.
    NotComparable,
}

/// Why a published figure has nothing measured beside it: the first of these reasons that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotComparable {
    /// The results have no ratio of a test with this name.
    NoSuchTest,
    /// They have one, of a test of another benchmark.
    OtherBenchmark,
    /// They have one of the test, but not of releases of these series.
    OtherRelease,
    /// They have one of these releases, but with other numbers of clients, as far as these are known.
    OtherScale,
    /// Of the test, the publication has another metric than throughput alone.
    OtherMetric,
}

/// How far the interval of a row carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Carries {
    /// To another host: a prediction from three hosts or more, or that of results of several hosts.
    AnotherHost,
    /// To another run on one of the hosts.
    AnotherRun,
    /// To the runs themselves.
    ThisRun,
}

/// A published figure and what was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BesideRow {
    /// The publication's figure.
    pub published: Published,
    /// What each host measured; one each at most.
    pub measured: Vec<Measured>,
    /// Mean ratio over hosts (of logarithms).
    pub ratio: Option<f64>,
    /// The 95 % intervals that the agreement is judged by: the one for another host where it is known, else one of each host.
    pub intervals: Vec<[f64; 2]>,
    /// How far they carry.
    pub carries: Option<Carries>,
    /// 95 % interval on each host that was measured, in the order of `measured`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub this_host: Vec<[f64; 2]>,
    /// How far these carry: to another run or to the runs themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub this_host_carries: Option<Carries>,
    /// 95 % prediction interval for another host, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub another_host: Option<[f64; 2]>,
    /// The result of the comparison.
    pub agreement: Agreement,
    /// The reason where it cannot be compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<NotComparable>,
    /// The releases are not the same but of the same series (8.0.33 for 8.0.45).
    pub other_release: bool,
}

/// Counts over all rows that can be compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BesideTotals {
    /// Rows that agree, of those that can be compared.
    pub agree: Option<Rate>,
    /// Rows that agree or have the same direction.
    pub same_direction: Option<Rate>,
    /// Published changes larger than 5 %, then those larger than 10 %.
    pub changes: Vec<CalledChanges>,
    /// Spearman's rank correlation of published and measured ratios; absent below three rows.
    pub rank_correlation: Option<f64>,
}

/// Which of the larger published changes were found. The verdict is that of the interval for another host where there is one,
/// else that of each host.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalledChanges {
    /// Larger than this share: 0.05.
    pub beyond: f64,
    /// Changes with a verdict of the same sign, and none of the other.
    pub called: Rate,
    /// Changes with a verdict of the opposite sign.
    pub opposite: Rate,
}

/// What `humdrum beside` found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Beside {
    /// The host whose results take the place of published figures, if there is no publication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Every published ratio of an engine that was measured, in the order of the publication.
    pub rows: Vec<BesideRow>,
    /// The counts.
    pub totals: BesideTotals,
    /// Hosts, in the order of the results.
    pub hosts: Vec<String>,
    /// Published figures that are no ratio of throughputs, or of other engines.
    pub other_figures: u64,
    /// Those of them that are of a measured engine and of a test whose throughput was not published for the release.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_metrics: Vec<OtherFigure>,
    /// Shares of dead rows after each step, of releases that both have. They are among `other_figures`, not `other_metrics`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dead_rows: Vec<ShareRow>,
}

/// A walk from the first set-up of ours to a publication's, for each published ratio that was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bridge {
    /// The set-ups, by the names of their results, in the order given.
    pub steps: Vec<String>,
    /// The walks, in the order of the publication.
    pub walks: Vec<Walk>,
    /// Published ratios that one set-up alone measured, so that there is no walk.
    #[serde(default)]
    pub alone: usize,
}

/// One test's walk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Walk {
    /// Where it leads to.
    pub published: Published,
    /// The set-ups that have a ratio of it, in order; two at least.
    pub steps: Vec<BridgeStep>,
    /// The published ratio as a multiple of the last step's. Its interval has the error of the last step and the rounding of the
    /// published figure; a publication's own error is not known.
    pub left: Difference,
}

/// What one set-up shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BridgeStep {
    /// The ratio; its host is the step's name.
    pub measured: Measured,
    /// The ratio as a multiple of the step's before; none for the first.
    pub change: Option<Difference>,
}
