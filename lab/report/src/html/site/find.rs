//! What can be found on a site: tests, releases, settings and runs, as one list. The script hides what a reader does not look for.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::engine::Engine;
use super::{SiteRun, Trend, moment};
use crate::text::clean;
use crate::words;

/// The search, and the whole list for those without scripts.
pub(super) fn section(runs: &[&SiteRun], engines: &[Engine<'_>], trends: &[Trend<'_>]) -> Markup {
    let mut finds: Vec<(&str, String, String)> = Vec::new();
    for trend in trends {
        let name = format!("{} ({})", clean(trend.test), clean(trend.suite));
        finds.push(("test", name, format!("tests/{}", trend.page)));
    }
    let mut settings: BTreeMap<String, String> = BTreeMap::new();
    for engine in engines {
        let page = format!("engines/{}", engine.page);
        for column in engine.columns() {
            let name = format!("{} {}", clean(&engine.name), clean(&column.release));
            if !finds.iter().any(|(_, known, _)| *known == name) {
                finds.push(("release", name, page.clone()));
            }
            for setting in column.settings.split('+').filter(|one| !one.is_empty()) {
                settings.insert(format!("{} +{}", clean(&engine.name), clean(setting)), page.clone());
            }
        }
    }
    finds.extend(settings.into_iter().map(|(name, page)| ("setting", name, page)));
    for run in runs.iter().rev() {
        let pairs: Vec<String> =
            run.summary.comparisons.iter().map(|one| words::pair(&run.summary, one)).collect();
        let name = format!("{} {}", moment(run), pairs.join("; "));
        finds.push(("run", name, format!("runs/{}/index.html", run.name)));
    }
    html! {
        section id="find" {
            h2 { "Find" }
            div.tools hidden {
                label { "Test, release, setting or run" input type="search" id="find-text"; }
                output.quiet id="find-told" aria-live="polite" {}
            }
            details {
                summary { "All tests, releases, settings and runs" }
                ul { @for (kind, name, link) in &finds { li { span.quiet { (kind) } " " a href=(link) { (name) } } } }
            }
        }
    }
}
