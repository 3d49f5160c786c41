//! What a watch found of one new release, in a few lines.

use std::fmt::Write;
use std::path::Path;

use humdrum_model::{THROUGHPUT, WatchState, WatchedRelease};

use crate::judged::QUANTITIES;
use crate::number::interval;
use crate::text::clean;
use crate::words::times;

/// `3.1: ▼ lost against fake@3.0: hot-points 0.91x [0.90, 0.92]` and where its report is.
pub fn watch_sentence(release: &WatchedRelease, folder: &Path) -> String {
    let version = clean(&release.version);
    if release.state != WatchState::Measured {
        let why = release.why.as_deref().map_or_else(|| "it was not measured".into(), clean);
        return format!("{version}: failed, {}: {why}", ordinal(release.failures));
    }
    let mut text = match (release.losses.is_empty(), release.code) {
        (true, Some(3)) => format!("{version}: some tests failed; no loss shown in the others"),
        (true, Some(4)) => format!("{version}: no loss shown, some tests undecided"),
        (true, _) => format!("{version}: ● no loss shown"),
        (false, _) => format!("{version}: ▼ lost"),
    };
    for loss in &release.losses {
        let (test, against) = (clean(&loss.test), clean(&loss.against));
        let what = quantity(&loss.quantity).map_or_else(String::new, |what| clean(what) + " ");
        let _ =
            write!(text, "\n  {test} against {against}: {what}{} {}", times(loss.ratio), interval(loss.ci95));
    }
    let report = folder.join(&release.folder).join("report.html");
    let _ = write!(text, "\n  report: {}", clean(&report.display().to_string()));
    text
}

/// `server CPU` for `cpu`; nothing for throughput, which needs no name.
fn quantity(name: &str) -> Option<&str> {
    let known = QUANTITIES.iter().find(|(known, _)| *known == name);
    (name != THROUGHPUT).then(|| known.map_or(name, |(_, heading)| heading))
}

fn ordinal(attempt: u32) -> String {
    match attempt {
        1 => "first attempt".into(),
        2 => "second attempt".into(),
        3 => "third and last attempt".into(),
        other => format!("attempt {other}"),
    }
}

#[cfg(test)]
mod tests {
    use humdrum_model::WatchLoss;

    use super::*;

    #[test]
    fn says_what_was_lost_against_what() {
        let mut release = WatchedRelease {
            version: "17.8".into(),
            after: "17.7".into(),
            folder: "17.8".into(),
            state: WatchState::Failed,
            failures: 2,
            why: Some("the server ended\u{1b}[31m".into()),
            losses: Vec::new(),
            code: None,
        };
        let told = |release: &WatchedRelease| watch_sentence(release, Path::new("out"));
        assert_eq!(told(&release), "17.8: failed, second attempt: the server ended\u{fffd}[31m");
        (release.state, release.code) = (WatchState::Measured, Some(0));
        assert_eq!(told(&release), "17.8: ● no loss shown\n  report: out/17.8/report.html");
        let loss = |quantity: &str, ratio| WatchLoss {
            test: "scan".into(),
            quantity: quantity.into(),
            against: "postgres@17.7".into(),
            ratio: Some(ratio),
            ci95: None,
        };
        release.losses = vec![loss("throughput", 0.91), loss("cpu", 1.033)];
        let start = "17.8: ▼ lost\n  scan against postgres@17.7: 0.91";
        assert!(told(&release).starts_with(start) && told(&release).contains("17.7: server CPU 1.033x"));
    }
}
