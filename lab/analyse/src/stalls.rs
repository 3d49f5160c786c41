//! The speed of a typical slice, and the share of time that each side spent beyond it.

use humdrum_model::{Block, Typical};

use crate::ratio::{SessionValue, typical};
use crate::robust::trimmed;
use crate::run::KeptSession;

/// Part of δ by which typical and throughput must differ to be shown side by side.
const WORTH_TELLING: f64 = 0.5;

/// The typical ratio, if it differs from that of the throughput, ln `mean`.
pub(crate) fn typical_beside(
    judged: &[SessionValue],
    sessions: &[KeptSession<'_>],
    subject: usize,
    mean: f64,
    delta: f64,
) -> Option<Typical> {
    let log = typical(judged);
    if (log - mean).abs() <= WORTH_TELLING * delta {
        return None;
    }
    let used = |session: &&KeptSession<'_>| judged.iter().any(|one| one.number == session.number);
    let ours: Vec<&KeptSession<'_>> = sessions.iter().filter(used).collect();
    let share = |whose| stall_share(&ours, whose);
    Some(Typical { ratio: log.exp(), base_stalls: share(0), stalls: share(subject) })
}

/// The note for it.
pub(crate) fn note(found: &Typical, rqps: f64) -> String {
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    format!(
        "{rqps:.2}: typical slice {:.2}, stalls {} of the time (base {})",
        found.ratio,
        percent(found.stalls),
        percent(found.base_stalls)
    )
}

/// Time beyond what typical slices of the same sessions would have taken, as a share of all time.
fn stall_share(sessions: &[&KeptSession<'_>], subject: usize) -> f64 {
    let of = |session: &&&KeptSession<'_>| {
        let slice = |block: &&Block| {
            let slice = block.slice(subject).filter(|slice| slice.operations > 0)?;
            Some((slice.operations as f64, slice.wall_ns as f64))
        };
        let slices: Vec<(f64, f64)> = session.blocks.iter().filter_map(slice).collect();
        let each: Vec<f64> = slices.iter().map(|(operations, ns)| ns / operations).collect();
        let typical = trimmed(&each)?.mean;
        let (operations, ns) =
            slices.iter().fold((0.0, 0.0), |sums, slice| (sums.0 + slice.0, sums.1 + slice.1));
        Some((typical * operations, ns))
    };
    let sums = sessions.iter().filter_map(|session| of(&session));
    let (usual, all) = sums.fold((0.0, 0.0), |sums, one| (sums.0 + one.0, sums.1 + one.1));
    if all > 0.0 { (1.0 - usual / all).max(0.0) } else { 0.0 }
}
