//! The lab's terms as plain data: what is compared, what was planned, what was measured and what was decided. The
//! types only construct, format and find; every stage can use them without depending on another stage.

mod after_load;
mod bisect;
mod block;
mod builds;
mod change_point;
mod checked;
mod choice;
mod delay;
mod dimension;
mod examination;
mod experiment;
mod explanation;
mod fault;
mod flags;
mod fnv1a;
mod gate;
mod history;
mod host;
mod host_reading;
mod imported;
mod injection;
mod judgement;
mod judging;
mod line;
mod memory;
mod metric;
mod numbers;
mod plan;
mod profile;
mod program;
mod published;
mod results;
mod selftest;
mod series;
mod shard;
mod shares;
mod slices;
mod state;
mod steal;
mod step;
mod subject;
mod test;
mod timings;
mod upgrade;
mod verdict;
mod watch;

pub use after_load::{AFTER_LOAD, AfterLoad, PlacedStatement};
pub use bisect::{
    Bisect, BisectBranch, BisectFound, BisectKind, BisectLevel, BisectPosition, BisectRatio, BisectRequest,
    BisectRound, BisectScript, BisectSegment, BisectState,
};
pub use block::{Block, Latency, SessionInfo, Slice, Stage};
pub use builds::{BUILDS_MAX, Builds, LAYOUT};
pub use change_point::{ChangePoint, HALF_95, SeriesValue};
pub use checked::{CheckLevel, CheckSeries, Checked, CheckedTest};
pub use choice::Choice;
pub use delay::delay_text;
pub use dimension::{Dimension, Numbers, count_text, without_numbers};
pub use examination::{
    BACKGROUND, CounterDelta, DEVICE, Examination, PlanRows, PlanRun, QueryPlan, SESSIONS, SWITCHES,
    ThreadCount, Wait, WaitCount, WaitKind,
};
pub use experiment::{Claim, ClaimAnswer, CountOf, Coverage, ExperimentRow, ExperimentState, Experiments};
pub use explanation::{
    Carried, Cause, CauseKind, Change, CounterChange, Explanation, PLAN_CHANGED, Part, PartName, PlanChange,
    SettingChange, SettingOrigin, WaitChange, WaitedChange,
};
pub use fault::{Fault, FaultKind};
pub use flags::{Flag, differing_flags, only_differing, with_flags_of};
pub use fnv1a::{FNV1A, fnv1a};
pub use gate::{Allowed, Failing, Gate, Gated, Loss};
pub use history::HistoryEntry;
pub use host::{Finding, GenerationSource, HostFacts, Level, Processor, Storage};
pub use host_reading::{HostReading, HostSpeed, Spread};
pub use imported::{Imported, ImportedFile, RunRate, RunRates};
pub use injection::Injection;
pub use judgement::{
    Blame, BuildLevel, CarryOver, Difference, Differences, Judgement, KindOfHosts, KindsOfHosts, OverHosts,
    Reach, RunRatio, ScriptResult, Typical,
};
pub use judging::{Judging, QUANTITIES, SCRIPT, THROUGHPUT, is_throughput};
pub use line::read_line;
pub use memory::memory_text;
pub use metric::{Better, Metric, MetricKind};
pub use numbers::{data_sets, distinct};
pub use plan::{Calibration, Design, Incomplete, Mode, Plan, PlannedTest, Scale};
pub use profile::{CodeChange, Profile, ProfileKind, StackTimes};
pub use program::{BUILT_IN, CHECKED_BY};
pub use published::{
    Agreement, Beside, BesideRow, BesideTotals, Bridge, BridgeStep, CalledChanges, Carries, Measured,
    NotComparable, OtherFigure, Published, Walk,
};
pub use results::{Event, Link, LinkKind, LoadFacts, Results, SubjectFacts};
pub use selftest::{Certificate, LossRates, Rate, Scope, Selftest, SelftestCount};
pub use series::{Move, Series, SeriesPoint, SeriesTest, Step};
pub use shard::{Measurement, MergeFacts, Shard, ShardRecord};
pub use shares::{Share, ShareRow};
pub use slices::{IDLE_PCT, IDLE_PCT_MAX, SLICE_MS};
pub use state::{Contents, Debt, Moment, Quantity, StateFacts};
pub use steal::{Counting, STEAL};
pub use step::{
    Background, RESPONSE_BOUNDS_US, RESPONSE_CLASSES, SLA_SHARE, Second, StepFacts, StepRow, Stream,
    StreamRow,
};
pub use subject::{Place, Setting, Subject, url_without_password};
pub use test::{Interface, Payment, Phase, TestInfo, TestStatus};
pub use timings::{CopyTimings, Timings};
pub use upgrade::{Upgrade, UpgradeCost, UpgradeSource, UpgradeStatement};
pub use verdict::{Comparison, Cost, LatencyPair, Percentiles, StatePair, Summary, TestResult, Verdict};
pub use watch::{Watch, WatchCall, WatchLoss, WatchState, WatchedRelease};
