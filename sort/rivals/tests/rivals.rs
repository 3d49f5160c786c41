//! Every rival gives the oracle's answer, so that a comparison of times means something.

use skipsort_rivals::RIVALS;
use skipsort_testkit::{oracle, patterns};

#[test]
fn all_rivals_sort() {
    for pattern in patterns::all() {
        for rows in [1, 40, 500] {
            let keys = pattern.keys(rows, 3);
            let rows = keys.slices();
            let mut expected = rows.clone();
            expected.sort();
            for rival in RIVALS {
                let Some(mut job) = (rival.prepare)(&rows) else { continue };
                job.run();
                let answer = job.answer();
                let wanted = if rival.partial { &expected[..answer.len()] } else { &expected };
                if let Err(complaint) = oracle::check_equal("row", wanted, &answer) {
                    panic!("{} on {}: {complaint}", rival.name, pattern.name);
                }
            }
        }
    }
}
