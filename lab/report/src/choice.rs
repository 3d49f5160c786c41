//! A report with another base than the run's, or with some of its subjects: what it says of that.

use humdrum_model::{Comparison, Results, Summary};

use crate::text::{self, clean};

/// The base in headlines: `postgres@18.1`, and which one the run measured against if that is another.
pub(crate) fn base(summary: &Summary) -> String {
    match measured_base(summary) {
        Some(measured) => format!("{} (measured against {})", clean(&summary.base), clean(measured)),
        None => clean(&summary.base),
    }
}

/// The same in Markdown.
pub(crate) fn marked_base(summary: &Summary) -> String {
    let base = text::code(&summary.base);
    measured_base(summary).map_or_else(
        || base.clone(),
        |measured| format!("{base} (measured against {})", text::code(measured)),
    )
}

/// The base that the run measured against, if the report has another.
pub(crate) fn measured_base(summary: &Summary) -> Option<&str> {
    summary.choice.as_ref().map(|choice| choice.measured_base()).filter(|base| *base != summary.base)
}

/// Sentences for the start of a report, without full stops.
pub(crate) fn sentences(summary: &Summary, results: &Results) -> Vec<String> {
    let Some(choice) = &summary.choice else { return Vec::new() };
    let mut told = Vec::new();
    if let Some(measured) = measured_base(summary) {
        let (base, measured) = (clean(&summary.base), clean(measured));
        told.push(format!(
            "The base of this report is {base}; the run measured against {measured}, and decided by that which tests got more \
             sessions"
        ));
    }
    let is_shown = |label: &&String| {
        **label == summary.base || summary.comparisons.iter().any(|one| one.subject == **label)
    };
    let left_out: Vec<String> =
        choice.measured.iter().filter(|label| !is_shown(label)).map(|label| clean(label)).collect();
    if !left_out.is_empty() {
        told.push(format!("Left out: {}; p-values are adjusted for the subjects shown", left_out.join(", ")));
    }
    let apart: Vec<String> =
        summary.comparisons.iter().enumerate().filter_map(|one| apart(results, one)).collect();
    if !apart.is_empty() {
        let base = clean(&summary.base);
        told.push(format!("No session has both {base} and {}: they cannot be compared", apart.join(" or ")));
    }
    told
}

/// The label of a subject that shares no session with the base.
fn apart(results: &Results, (number, comparison): (usize, &Comparison)) -> Option<String> {
    let shared = results.sessions.iter().any(|info| info.has(0) && info.has(number + 1));
    (!shared).then(|| clean(&comparison.subject))
}

#[cfg(test)]
mod tests {
    use humdrum_model::{Choice, SessionInfo, Stage};

    use super::*;
    use crate::{Style, fixture, github, html, markdown, smalldatum, terminal, tsv};

    /// `fixture::run` with its base chosen from three subjects.
    fn chosen() -> (Summary, Results, crate::Extras) {
        let (mut summary, mut results, extras) = fixture::run();
        let names = ["postgres@15.1", "postgres@17.7", "postgres@16.11"].map(str::to_owned).to_vec();
        summary.choice = Some(Choice { measured: names.clone(), typed: names });
        results.sessions.push(SessionInfo {
            number: 0,
            stage: Stage::Confirmation,
            restarted: true,
            reloaded: true,
            tests: Vec::new(),
            stretch: 1.0,
            unrecorded: Vec::new(),
            subjects: vec![0, 2],
        });
        (summary, results, extras)
    }

    #[test]
    fn says_what_was_measured_and_what_is_left_out() {
        let (mut summary, mut results, _) = chosen();
        results.sessions.retain(|info| !info.subjects.is_empty());
        let told = sentences(&summary, &results);
        insta::assert_snapshot!(told.join("\n"));
        summary.base = "postgres@15.1".into();
        assert_eq!((measured_base(&summary), base(&summary)), (None, "postgres@15.1".to_owned()));
        assert!(sentences(&summary, &results)[0].starts_with("Left out: postgres@16.11;"));
        summary.choice = None;
        assert!(sentences(&summary, &results).is_empty());
    }

    #[test]
    fn every_format_says_that_the_base_is_not_the_one_measured_against() {
        let (summary, results, extras) = chosen();
        let style = Style { color: false, width: 200, verbose: true };
        let texts = [
            terminal(&summary, &results, &extras, style),
            html(&summary, &results, &extras),
            markdown(&summary, &results, &extras),
            github(&summary, &results, &extras),
            smalldatum(&summary),
            tsv(&summary),
            crate::json(&summary),
        ];
        for (number, text) in texts.iter().enumerate() {
            assert!(text.contains("postgres@15.1"), "{number}: {text}");
        }
        for text in &texts[..4] {
            assert!(text.contains("measured against"), "{text}");
            // The command is the one that measured it.
            assert!(
                text.contains("humdrum compare postgres@15.1 postgres@17.7 postgres@16.11 --suite"),
                "{text}"
            );
        }
    }
}
