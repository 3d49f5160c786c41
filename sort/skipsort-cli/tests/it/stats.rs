//! `--stats`, `--progress` and `--limit`.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::harness::{Place, lines, sorted};

#[test]
fn json_has_the_promised_fields() {
    let place = Place::new();
    place.put("file", lines(60_000, 1));
    let (out, said, code) = place.run(&["--stats=json", "-S1M", "file"]);
    assert_eq!(code, 0, "{said}");
    let stats: serde_json::Value = serde_json::from_str(&said).expect("one JSON object");
    assert_eq!(stats["rows"], 60_000);
    assert_eq!(stats["bytes"], out.len());
    assert!(stats["spills"].as_u64().unwrap() > 2);
    let seconds = |name: &str| stats[name].as_f64().unwrap();
    assert!(seconds("seconds_to_first_row") <= seconds("seconds_to_last_row"));
    assert!(place.run(&["--stats", "file"]).1.contains("60000 rows"));
}

/// What `--stats=json` says of a run that ends with `code`.
fn stats(place: &Place, args: &[&str], input: &[u8], code: i32) -> serde_json::Value {
    let (_, said, ended) = place.run_with(&[&["--stats=json"], args].concat(), input);
    assert_eq!(ended, code, "{args:?}: {said}");
    serde_json::from_str(&said).expect("one JSON object")
}

#[test]
fn merges_and_checks_count_what_they_read() {
    let place = Place::new();
    let whole = sorted(&lines(60_000, 1));
    place.put("a", &whole);
    place.put("b", &whole);
    let files = |times: usize| (times * 60_000, times * whole.len());
    for (args, (rows, bytes)) in [
        (&["-m", "a", "b"][..], files(2)),
        (&["-m", "-u", "--parallel=4", "a", "b"], files(2)),
        (&["-m", "--parallel=1", "a", "b"], files(2)),
        (&["-m", "-S1M", "--parallel=4", "a", "b"], files(2)),
        (&["-m", "--batch-size=2", "a", "b", "a", "b", "a"], files(5)),
        (&["-m", "a", "-"], files(2)),
        (&["-c", "a"], files(1)),
        (&["-C"], files(1)),
    ] {
        let stats = stats(&place, args, &whole, 0);
        assert_eq!((&stats["rows_read"], &stats["bytes_read"]), (&rows.into(), &bytes.into()), "{args:?}");
    }
    let stats = stats(&place, &["-C"], b"a\nc\nb\nd\n", 1);
    assert_eq!((&stats["rows_read"], &stats["bytes_read"]), (&3.into(), &8.into()));
}

#[test]
fn progress_of_a_merge_is_a_merges() {
    let place = Place::new();
    let whole = sorted(&lines(60_000, 1));
    place.put("a", &whole);
    // The merge waits for the pipe, which is ended when the word has come.
    let mut command = place.ours(["--progress=always", "-m", "a", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut said = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let merging = said.by_ref().take(10).any(|line| line.expect("text").contains("merging "));
    drop(child.stdin.take());
    assert!(child.wait().expect("the program ends").success() && merging);
}

#[test]
fn progress_goes_to_standard_error() {
    let place = Place::new();
    place.put("file", lines(200_000, 1));
    let (out, said, code) = place.run(&["--progress=always", "-S1M", "file"]);
    assert_eq!((code, out.len()), (0, place.get("file").len()));
    assert!(said.contains("ing ") && said.contains("MiB"), "{said}");
    assert!(place.run(&["--progress=never", "file"]).1.is_empty());
    assert!(place.run(&["file"]).1.is_empty(), "not a terminal");
}

#[test]
fn limits_are_the_first_lines_of_all() {
    let place = Place::new();
    let input = lines(50_000, 3);
    place.put("file", &input);
    let whole = sorted(&input);
    let first =
        |count: usize| whole.split_inclusive(|byte| *byte == b'\n').take(count).collect::<Vec<_>>().concat();
    for count in [0, 1, 10, 3000, 20_000, 60_000] {
        for memory in ["-S1M", "-S64M"] {
            let (out, said, code) = place.run(&["--limit", &count.to_string(), memory, "file"]);
            assert_eq!(code, 0, "{said}");
            assert!(out == first(count), "{count} {memory}");
            let (out, _, _) = place.run_with(&["--limit", &count.to_string(), memory], &input);
            assert!(out == first(count), "{count} {memory}, a pipe");
        }
    }
}

#[test]
fn limits_follow_all_orders() {
    let place = Place::new();
    let input: Vec<u8> = (0..30_000u32)
        .flat_map(|n| format!("{} {}\n", n % 97, n.wrapping_mul(7919) % 1000).into_bytes())
        .collect();
    place.put("file", &input);
    for options in
        [&["-r"][..], &["-u"], &["-k2,2n"], &["-s", "-k1,1n"], &["-u", "-k1,1"], &["-nr"], &["-ru"]]
    {
        let whole = place.run(&[options, &["file"]].concat()).0;
        for count in [1usize, 5, 150, 15_000] {
            let expected =
                whole.split_inclusive(|byte| *byte == b'\n').take(count).collect::<Vec<_>>().concat();
            let count = count.to_string();
            // The file is many pieces of the one memory, and less than one of the other.
            for memory in ["-S1M", "-S64M"] {
                let (out, _, code) = place.run(&[options, &["--limit", &count, memory, "file"]].concat());
                assert_eq!(code, 0);
                assert!(out == expected, "{options:?} {count} {memory}");
            }
        }
    }
}
