//! The sentences that every output begins a comparison with, and their order. They are in one file, so that the terminal, the post, the
//! comment and the pages say the same first: what holds on another host of each kind, where the hosts show that; else the verdicts.

use humdrum_model::Comparison;

use crate::judged;
use crate::kinds;
use crate::text::capital;
use crate::words;

/// Sentences without a full stop.
pub(crate) struct Opening {
    /// What a reader came for: another host of each kind, then the verdicts.
    pub first: Vec<String>,
    /// All others, in order.
    pub then: Vec<String>,
}

/// The sentences on a comparison. The next host that somebody uses is none of those that were measured, so that verdicts on the mean of these
/// come after what holds on another one.
pub(crate) fn opening(comparison: &Comparison) -> Opening {
    let (mut first, verdict) = (kinds::another_host(comparison), words::headline(comparison));
    first.push(if first.is_empty() { verdict } else { format!("mean of these hosts: {verdict}") });
    Opening { first, then: judged::sentences(comparison) }
}

/// The first sentences as one text, without the last full stop, for lists of comparisons.
pub(crate) fn brief(comparison: &Comparison) -> String {
    let first = opening(comparison).first;
    let sentence = |(number, one): (usize, &String)| if number == 0 { one.clone() } else { capital(one) };
    first.iter().enumerate().map(sentence).collect::<Vec<_>>().join(". ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn another_host_of_each_kind_comes_first_and_the_mean_of_hosts_after_it() {
        let (mut summary, ..) = fixture::run();
        let verdict = words::headline(&summary.comparisons[0]);
        let Opening { first, then } = opening(&summary.comparisons[0]);
        assert_eq!((first, brief(&summary.comparisons[0])), (vec![verdict.clone()], verdict.clone()));
        assert!(!then.iter().any(|sentence| sentence.contains("hosts")), "{then:?}");
        fixture::on_hosts(&mut summary);
        let Opening { first, then } = opening(&summary.comparisons[0]);
        let expected = [
            "another host with AMD Zen 3 (3 measured), in 95 of 100: ",
            "another host with AMD Zen 4 (2 measured), in 95 of 100: ",
            "mean of these hosts: ",
        ];
        assert_eq!(first.len(), 3, "{first:?}");
        assert!(first.iter().zip(expected).all(|(found, begin)| found.starts_with(begin)), "{first:?}");
        let told =
            "6 hosts are judged together (3 with AMD Zen 3, 2 with AMD Zen 4 and 1 with Intel Golden Cove): ";
        assert!(then[0].starts_with(told), "{then:?}");
        assert_eq!(then[1], "1 host with Intel Golden Cove says nothing of another one");
        let brief = brief(&summary.comparisons[0]);
        assert!(brief.starts_with(&first[0]) && brief.ends_with(&verdict), "{brief}");
        assert!(
            brief.contains(". Another host with AMD Zen 4") && brief.contains(". Mean of these"),
            "{brief}"
        );
    }

    #[test]
    fn every_output_begins_with_another_host_of_a_kind() {
        let (mut summary, results, extras) = fixture::run();
        fixture::on_hosts(&mut summary);
        let plain = crate::Style { color: false, width: 80, verbose: false };
        let texts = [
            crate::terminal(&summary, &results, &extras, plain),
            crate::markdown(&summary, &results, &extras),
            crate::github(&summary, &results, &extras),
            crate::post(&summary, &results, &extras),
            crate::post_html(&summary, &results, &extras),
            crate::html(&summary, &results, &extras),
        ];
        for text in texts {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let place = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what}: {text}"));
            assert!(
                place("nother host with AMD Zen 3 (3 measured)") < place("ean of these hosts: "),
                "{text}"
            );
            assert_eq!(text.matches("nother host with AMD Zen 3 (3 measured)").count(), 1, "{text}");
        }
    }
}
