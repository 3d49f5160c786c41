//! The feed of a site (Atom, RFC 4287): an entry for each run, newest first. Its links are relative, because a site does not know its
//! own address.

use humdrum_model::{FNV1A, fnv1a};

use super::SiteRun;
use crate::opening::brief;
use crate::text::clean;
use crate::words;

/// Readers ask for the feed often; older runs are on the pages.
const ENTRIES_MAX: usize = 100;

/// The feed of these runs, which are oldest first.
pub(super) fn feed(runs: &[&SiteRun]) -> String {
    let updated = runs.last().map(|run| date(run)).unwrap_or_default();
    let first = runs.first().map(|run| key(run)).unwrap_or_default();
    let entries: String = runs.iter().rev().take(ENTRIES_MAX).map(|run| entry(run)).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n\
         <title>humdrum: results</title>\n<id>{}</id>\n<updated>{updated}</updated>\n\
         <author><name>humdrum</name></author>\n<link rel=\"alternate\" href=\"index.html\"/>\n{entries}</feed>\n",
        id(&format!("site {first}"))
    )
}

fn entry(run: &SiteRun) -> String {
    let summary = &run.summary;
    let pairs: Vec<String> = summary.comparisons.iter().map(|one| words::pair(summary, one)).collect();
    let told = |one: &humdrum_model::Comparison| format!("{}: {}.", words::pair(summary, one), brief(one));
    let said: Vec<String> = summary.comparisons.iter().map(told).collect();
    format!(
        "<entry>\n<title>{}</title>\n<id>{}</id>\n<updated>{}</updated>\n<link href=\"runs/{}/index.html\"/>\n\
         <summary>{}</summary>\n</entry>\n",
        escaped(&format!("{} ({})", pairs.join("; "), clean(&summary.suite))),
        id(&key(run)),
        date(run),
        escaped(&run.name),
        escaped(&said.join(" "))
    )
}

/// What stays the same of a run, wherever its folder is.
fn key(run: &SiteRun) -> String {
    format!("{} {} {} {}", run.started, run.summary.seed, run.summary.base, run.summary.suite)
}

/// The start as RFC 3339; records of others may have anything there.
fn date(run: &SiteRun) -> String {
    let text = run.started.trim();
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    match shape.as_str() {
        "0000-00-00T00:00:00Z" => text.to_owned(),
        "0000-00-00" => format!("{text}T00:00:00Z"),
        // Imported results may have no date.
        _ => "1970-01-01T00:00:00Z".into(),
    }
}

/// A UUID of a form for one's own use (version 8 of RFC 9562), made from a text.
fn id(text: &str) -> String {
    let high = fnv1a(FNV1A, text.as_bytes());
    let low = fnv1a(high, b"low");
    let hex = format!("{high:016x}{low:016x}");
    format!("urn:uuid:{}-{}-8{}-a{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..])
}

fn escaped(text: &str) -> String {
    clean(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
