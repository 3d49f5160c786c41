//! How the lab reached servers that it did not start. A round trip is part of every figure of such a server.

use humdrum_model::{Link, LinkKind, Results};

use crate::number::short;
use crate::text::listed;

/// A sentence for each kind of place, and one where connections differ in encryption.
pub(crate) fn lines(results: &Results) -> Vec<String> {
    let found = results.plan.subjects.iter().zip(&results.subjects);
    let links: Vec<(&str, &Link)> =
        found.filter_map(|(subject, facts)| Some((&*subject.label, facts.link.as_ref()?))).collect();
    let of = |kind: LinkKind| {
        let there = links.iter().filter(|(_, link)| link.kind == kind);
        there.map(|(label, link)| format!("{} to {label}", round_trip(link))).collect::<Vec<_>>()
    };
    let sentences = [
        (LinkKind::Network, "the network is part of these figures: a round trip takes"),
        (LinkKind::Loopback, "over TCP on this host: a round trip takes"),
        (LinkKind::Socket, "over Unix sockets: a round trip takes"),
    ];
    let sentences = sentences.into_iter().filter_map(|(kind, begins)| {
        let there = of(kind);
        (!there.is_empty()).then(|| format!("{begins} {}", listed(&there)))
    });
    sentences.chain(encryption(&links)).collect()
}

fn round_trip(link: &Link) -> String {
    format!("{} µs", short(link.round_trip_ns_p50 as f64 / 1e3))
}

/// Where all connections are alike, one sentence; otherwise what each has, because the cost of encryption is then part of
/// what they differ by.
fn encryption(links: &[(&str, &Link)]) -> Option<String> {
    let said = |link: &Link| link.encryption.clone().unwrap_or_else(|| "not encrypted".to_owned());
    let (_, first) = links.iter().find(|(_, link)| link.encryption.is_some())?;
    if links.iter().all(|(_, link)| link.encryption == first.encryption) {
        return Some(format!("connections to servers that were running before: {}", said(first)));
    }
    let each: Vec<String> = links.iter().map(|(label, link)| format!("{label} ({})", said(link))).collect();
    Some(format!("connections differ, and encryption is part of what they differ by: {}", listed(&each)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn link(kind: LinkKind, round_trip_ns_p50: u64, encryption: Option<&str>) -> Option<Link> {
        Some(Link { kind, encryption: encryption.map(str::to_owned), round_trip_ns_p50, round_trips: 101 })
    }

    #[test]
    fn says_what_a_round_trip_takes_and_where_connections_differ() {
        let (_, mut results, ..) = fixture::run();
        assert_eq!(lines(&results), Vec::<String>::new(), "servers of ours");
        let labels = ["a", "b"];
        for (subject, label) in results.plan.subjects.iter_mut().zip(labels) {
            label.clone_into(&mut subject.label);
        }
        results.subjects[0].link = link(LinkKind::Network, 210_000, Some("TLS 1.3"));
        results.subjects[1].link = link(LinkKind::Network, 350_400, Some("TLS 1.3"));
        let network = "the network is part of these figures: a round trip takes 210 µs to a and 350 µs to b";
        let alike = "connections to servers that were running before: TLS 1.3";
        assert_eq!(lines(&results), [network, alike]);
        results.subjects[1].link = link(LinkKind::Loopback, 30_000, None);
        assert_eq!(
            lines(&results),
            [
                "the network is part of these figures: a round trip takes 210 µs to a",
                "over TCP on this host: a round trip takes 30.0 µs to b",
                "connections differ, and encryption is part of what they differ by: a (TLS 1.3) and b (not encrypted)",
            ]
        );
    }
}
