//! Stage 6: estimates, intervals, verdicts; pure functions over a run's [`humdrum_model::Results`].
//!
//! Blocks become totals per session (`warmup`, `ratio`, `totals`). Sessions become an estimate, with an
//! interval that stays valid for any number of looks (`evidence`, `interval`, `sequential`, `measure`).
//! Estimates are corrected for their number (`family`) and judged (`decide`), and `summary` collects
//! everything for the reports. `stop` applies the same rules during the run, after every session.
//! `docs/statistics.md` explains the same for users.

mod aa;
mod band;
mod beside;
mod blame;
mod build_level;
mod carry_over;
mod change_points;
mod checked;
mod choose;
mod combine;
mod cost;
mod debts;
mod decide;
mod difference;
mod dist;
mod ending;
mod estimate;
mod evidence;
mod exit;
mod families;
mod family;
mod gate;
mod history;
mod host_speed;
mod host_state;
mod hosts;
mod imported;
mod interval;
mod judged;
mod latency;
mod levels;
mod measure;
mod merge;
mod moves;
mod notes;
mod power;
mod published;
mod ratio;
mod reach;
mod robust;
mod run;
mod scripts;
mod selftest;
mod sequential;
mod series;
mod settings;
mod sla;
mod slice_check;
mod stalls;
mod status;
mod steps;
mod stop;
mod summary;
mod totals;
mod warmup;
mod watched;

#[cfg(test)]
mod findings;
#[cfg(test)]
mod recorded;
#[cfg(test)]
mod rejudged;
#[cfg(test)]
mod simulation;
#[cfg(test)]
mod testkit;

pub use aa::{AaFloor, aa_floor, aa_floor_within, certified_floor};
pub use beside::conditions;
pub use change_points::change_points;
pub use checked::{check_series, checked};
pub use choose::{choice, choose, rebased};
pub use combine::{JudgedRun, combine};
pub use difference::differences;
pub use exit::exit_code;
pub use family::{benjamini_hochberg, holm};
pub use gate::gate;
pub use history::{between_runs, history_entries, run_name};
pub use hosts::over_hosts;
pub use judged::{Judged, Mean, log_ratios, mean_of, mean_within, quantity_log_ratios};
pub use merge::{Merged, MergedHost, merge};
pub use power::{difference_detectable, planned_detectable, planned_half_width, verdict_detectable};
pub use published::{
    Columns, PUBLISHED_COLUMNS, TableLine, add_shares, answer, beside_own, beside_published, bridge,
    claims_not_asked, claims_of_plan, claims_tsv, experiment_state, has_shares, is_share, measured,
    measured_tsv, published_ratio, published_tsv, record_coverage,
};
pub use reach::{History, RunEstimate, another_host, another_run, coverage, known};
pub use selftest::{alarms_too_often, certificates, rate, scopes, selftest_counts};
pub use series::{DiscardedBlock, RatePoint, discarded_blocks, rate_series};
pub use settings::{SettingDifference, setting_differences};
pub use steps::background;
pub use stop::undecided;
pub use summary::{Options, summarise, summarise_with};
pub use watched::{watch_code, watch_losses};

/// Changes with every change of what judges: a checksum of this crate's and the model's sources.
pub const RULES: &str = env!("HUMDRUM_RULES");
