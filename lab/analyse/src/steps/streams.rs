//! A step's statements by kind: how many there were, and how long each took.

use std::collections::BTreeMap;

use humdrum_model::{RESPONSE_BOUNDS_US, RESPONSE_CLASSES, StepFacts, Stream, StreamRow};

use super::NS_PER_S;
use crate::latency::percentiles_us;

const NS_PER_US: u64 = 1000;

/// Highest ns of a bucket, and how many statements are in it.
type Buckets = BTreeMap<u64, u64>;

/// All kinds of statements of these runs.
pub(super) fn streams(runs: &[&StepFacts]) -> BTreeMap<String, StreamRow> {
    let mut names: Vec<&str> =
        runs.iter().flat_map(|facts| &facts.streams).map(|stream| &*stream.name).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(|name| (name.to_owned(), row(runs, name))).collect()
}

fn row(runs: &[&StepFacts], name: &str) -> StreamRow {
    let all: Vec<&Stream> = runs.iter().filter_map(|facts| facts.stream(name)).collect();
    let service = merged(all.iter().map(|stream| &stream.service));
    let response = merged(all.iter().map(|stream| &stream.response));
    StreamRow {
        statements: all.iter().map(|stream| stream.statements).sum(),
        rows: all.iter().map(|stream| stream.rows).sum(),
        retries: all.iter().map(|stream| stream.retries).sum(),
        seconds: all.iter().map(|stream| stream.service_ns as f64 / NS_PER_S).sum(),
        service_us: percentiles_us(&service).unwrap_or_default(),
        response_us: percentiles_us(&response).unwrap_or_default(),
        response_counts: classes(&response),
    }
}

fn merged<'a>(histograms: impl Iterator<Item = &'a Vec<(u64, u64)>>) -> Buckets {
    let mut buckets = Buckets::new();
    for &(highest_ns, count) in histograms.flatten() {
        *buckets.entry(highest_ns).or_insert(0) += count;
    }
    buckets
}

/// Statements in each of the reference's classes. The record's buckets are 0.1 % wide at most. One that a bound divides
/// counts in the class above it.
fn classes(buckets: &Buckets) -> [u64; RESPONSE_CLASSES] {
    let mut counts = [0; RESPONSE_CLASSES];
    for (highest_ns, count) in buckets {
        counts[RESPONSE_BOUNDS_US.partition_point(|bound| bound * NS_PER_US < *highest_ns)] += count;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(response: &[(u64, u64)]) -> StepFacts {
        let insert = Stream { name: "insert".into(), response: response.to_vec(), ..Stream::default() };
        StepFacts { streams: vec![insert], ..StepFacts::default() }
    }

    #[test]
    fn a_bound_belongs_to_the_class_below_it() {
        let one = |highest_ns| classes(&[(highest_ns, 1)].into()).iter().position(|count| *count == 1);
        assert_eq!(one(1), Some(0));
        for (class, bound) in RESPONSE_BOUNDS_US.into_iter().enumerate() {
            assert_eq!([one(bound * NS_PER_US), one(bound * NS_PER_US + 1)], [Some(class), Some(class + 1)]);
        }
        assert_eq!(one(u64::MAX), Some(RESPONSE_CLASSES - 1));
    }

    #[test]
    fn sessions_are_added_up() {
        let (first, second) =
            (facts(&[(200_000, 3), (900_000, 2)]), facts(&[(200_000, 4), (17_000_000_000, 1)]));
        let found = streams(&[&first, &second]);
        assert_eq!(found["insert"].response_counts, [7, 2, 0, 0, 0, 0, 0, 0, 0, 1]);
    }
}
