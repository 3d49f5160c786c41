//! Fixed-length records.

use skipsort_testkit::rng::Rng;

use crate::harness::Place;

const SIZE: usize = 20;

fn records(count: usize, alphabet: usize) -> Vec<[u8; SIZE]> {
    let mut rng = Rng::new(5);
    (0..count).map(|_| std::array::from_fn(|_| rng.below(alphabet) as u8 + 9)).collect()
}

fn expect(
    options: &[&str],
    mut expected: Vec<[u8; SIZE]>,
    order: impl FnMut(&[u8; SIZE], &[u8; SIZE]) -> std::cmp::Ordering,
    unique: bool,
) {
    let place = Place::new();
    place.put("file", expected.concat());
    let mut order = order;
    expected.sort_by(&mut order);
    if unique {
        expected.dedup_by(|later, first| order(first, later).is_eq());
    }
    for memory in ["-S1M", "-S64M"] {
        let (out, said, code) = place.run(&[&["--record-size", "20", memory, "file"], options].concat());
        assert_eq!(code, 0, "{said}");
        assert!(out == expected.concat(), "{options:?} {memory}");
    }
}

#[test]
fn whole_records_and_keys_at_the_start() {
    expect(&[], records(60_000, 4), |a, b| a.cmp(b), false);
    expect(&["--key-size", "3"], records(60_000, 4), |a, b| a.cmp(b), false);
    expect(&["-r"], records(60_000, 4), |a, b| b.cmp(a), false);
    expect(&["-u"], records(20_000, 2), |a, b| a.cmp(b), true);
}

#[test]
fn keys_within() {
    let key = |record: &[u8; SIZE]| record[4..7].to_vec();
    let at = ["--key-offset", "4", "--key-size", "3"];
    expect(&at, records(60_000, 4), |a, b| key(a).cmp(&key(b)).then(a.cmp(b)), false);
    expect(&[&at[..], &["-s"]].concat(), records(60_000, 4), |a, b| key(a).cmp(&key(b)), false);
    expect(
        &[&at[..], &["-r"]].concat(),
        records(60_000, 4),
        |a, b| key(b).cmp(&key(a)).then(b.cmp(a)),
        false,
    );
    expect(&[&at[..], &["-rs"]].concat(), records(60_000, 4), |a, b| key(b).cmp(&key(a)), false);
    expect(&[&at[..], &["-u"]].concat(), records(60_000, 4), |a, b| key(a).cmp(&key(b)), true);
}

#[test]
fn merged_and_checked() {
    let place = Place::new();
    let mut records = records(60_000, 200);
    records.sort();
    let (even, odd): (Vec<_>, Vec<_>) = records.iter().enumerate().partition(|(at, _)| at % 3 == 0);
    let bytes = |part: Vec<(usize, &[u8; SIZE])>| {
        part.into_iter().flat_map(|(_, record)| *record).collect::<Vec<u8>>()
    };
    place.put("even", bytes(even));
    place.put("odd", bytes(odd));
    let (out, said, code) = place.run(&["--record-size", "20", "-m", "-S1M", "even", "odd"]);
    assert_eq!(code, 0, "{said}");
    assert!(out == records.concat());
    assert_eq!(place.run(&["--record-size", "20", "-c", "even"]).2, 0);
    assert_eq!(place.run(&["--record-size", "20", "-c", "-r", "even"]).2, 1);
}

#[test]
fn a_part_of_a_record_is_an_error() {
    let place = Place::new();
    let (out, said, code) = place.run_with(&["--record-size", "20"], &[7; 50]);
    assert_eq!((out.len(), code), (0, 2));
    assert!(said.contains("10 bytes of a record of 20"), "{said}");
    place.put("part", [7; 50]);
    for how in [&["-m"][..], &["-c"], &["-m", "--parallel=1"], &["-m", "--key-offset=4", "--key-size=3"]] {
        let (_, said, code) = place.run(&[&["--record-size=20", "part"], how].concat());
        assert_eq!(code, 2, "{how:?}: {said}");
        assert!(said.contains("part ends with 10 bytes of a record of 20"), "{how:?}: {said}");
    }
}
