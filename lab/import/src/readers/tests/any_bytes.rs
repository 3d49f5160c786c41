//! No bytes make a reader panic, or give a result that no run can have.

use proptest::prelude::*;

use super::archive::{METRICS, STEP};
use super::{INSERTS, TABLE_OF_FIGURES, bytes, read};
use crate::readers::TABLE;
use crate::recognise::recognise;

/// A beginning of each format, to be changed at random.
fn samples() -> Vec<Vec<u8>> {
    let names = [
        "sysbench/plain/oltp_read_only.run1.log",
        "sysbench/refused.log",
        "pgbench/select_only.1.log",
        "pgbench/mixed.log",
        "pgbench/aggregated.log",
        "db_bench/plain.log",
        "db_bench/intervals.log",
        "hyperfine/two.json",
        "google-benchmark/single.json",
    ];
    let mut all: Vec<Vec<u8>> = names.iter().map(|name| bytes(name)).collect();
    all.push(bytes("pgbench/transactions.log")[..2000].to_vec());
    all.push(TABLE_OF_FIGURES.into());
    all.push(INSERTS.into());
    all.push(STEP.into());
    all.push(METRICS.into());
    all.push(b"Relative to: a\ncol-1 : b\n\ncol-1\n0.66\thot\n".to_vec());
    all.push(b"Vuser 1:TEST RESULT : System achieved 9 NOPM from 2 TPM\nVuser 1:3 Active Virtual Users configured\n".to_vec());
    all
}

/// What tools print where a number should be, and worse.
const ODD: [&str; 12] =
    ["nan", "inf", "-1", "1e308", "18446744073709551616", "", "\0", "\t", ":", "[", "…", "-nan(ind)"];

fn survives(bytes: &[u8]) {
    // Whether it is recognised, and as what, does not matter here.
    let _ = recognise(bytes);
    for reader in TABLE {
        if let Ok(found) = read(reader, bytes) {
            for one in &found.repetitions {
                assert!(one.operations > 0 && one.wall_ns > 0, "{}: {one:?}", reader.name());
                assert!(one.course.points().iter().all(|point| point.rate.is_finite()), "{}", reader.name());
            }
        }
    }
}

/// `HUMDRUM_CASES=1000000` tries the readers for as long as one likes.
fn cases() -> u32 {
    std::env::var("HUMDRUM_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(200)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        survives(&bytes);
    }

    #[test]
    fn changed_files_are_read_without_a_panic(
        sample in 0..samples().len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3_u8), 1..20),
    ) {
        let mut bytes = samples().swap_remove(sample);
        for (place, byte, kind) in changes {
            let place = place.index(bytes.len().max(1)).min(bytes.len().saturating_sub(1));
            match kind {
                _ if bytes.is_empty() => bytes.push(byte),
                0 => bytes[place] = byte,
                1 => {
                    bytes.remove(place);
                }
                _ => bytes.insert(place, byte),
            }
        }
        survives(&bytes);
    }

    #[test]
    fn odd_numbers_are_read_without_a_panic(
        sample in 0..samples().len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..ODD.len()), 1..8),
    ) {
        let text = String::from_utf8_lossy(&samples().swap_remove(sample)).into_owned();
        let mut words: Vec<&str> = text.split_inclusive(|letter: char| !letter.is_alphanumeric() && letter != '.').collect();
        for (place, odd) in changes {
            let place = place.index(words.len());
            words[place] = ODD[odd];
        }
        survives(words.concat().as_bytes());
    }

    #[test]
    fn lines_of_several_formats_are_read_without_a_panic(
        picks in prop::collection::vec((0..samples().len(), any::<prop::sample::Index>()), 1..60),
    ) {
        let samples = samples();
        let mut bytes = Vec::new();
        for (sample, place) in picks {
            let lines: Vec<&[u8]> = samples[sample].split_inclusive(|byte| *byte == b'\n').collect();
            bytes.extend_from_slice(lines[place.index(lines.len())]);
        }
        survives(&bytes);
    }
}
