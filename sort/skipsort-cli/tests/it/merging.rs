//! Runs and their merges: much smaller memory than input, many runs, compressed runs, `-m`.

use std::os::unix::fs::PermissionsExt;

use crate::harness::{Place, lines, run, sorted};

#[test]
fn many_runs_and_several_levels() {
    let place = Place::new();
    let input = lines(150_000, 4);
    place.put("file", &input);
    let expected = sorted(&input);
    for args in
        [&["-S1M"][..], &["-S1M", "--batch-size=2"], &["-S1M", "--parallel=1"], &["-S3M", "--parallel=5"]]
    {
        let (out, said, code) = place.run(&[args, &["file"]].concat());
        assert_eq!(code, 0, "{said}");
        assert!(out == expected, "{args:?}");
    }
    assert_eq!(place.names(), ["file"]);
}

#[test]
fn spilled_orders_are_gnu_sorts() {
    let place = Place::new();
    let text: Vec<u8> = (0..90_000u64)
        .flat_map(|n| format!("{} w{} {}\n", n * 7919 % 1013, n * 31 % 47, n * 65_537 % 90_001).into_bytes())
        .collect();
    place.put("file", &text);
    for args in [
        &["-r"][..],
        &["-u"],
        &["-n"],
        &["-k2,2"],
        &["-k2,2", "-s"],
        &["-k2,2", "-u"],
        &["-k3,3nr"],
        &["-nr"],
        &["-f"],
        &["-k2,2", "-k1,1n", "-s"],
        &["-ru"],
        &["-k2,2r"],
        &["-z"],
    ] {
        place.same_as_gnu(&[&["-S1M", "--batch-size=3"], args, &["file"]].concat(), b"");
    }
}

#[test]
fn equal_lines_only() {
    let place = Place::new();
    place.put("file", "the same line again and again\n".repeat(120_000));
    for args in [&["-S1M"][..], &["-S1M", "-u"], &["-S1M", "-r"], &["-S1M", "-k2,2n", "-s"]] {
        place.same_as_gnu(&[args, &["file"]].concat(), b"");
    }
}

#[test]
fn compressed_runs() {
    let place = Place::new();
    let input = lines(120_000, 5);
    place.put("file", &input);
    for program in ["gzip", "./cat"] {
        place.put("cat", "#!/bin/sh\nexec cat\n");
        let run_it = std::process::Command::new("chmod").arg("+x").arg(place.path("cat")).status().unwrap();
        assert!(run_it.success());
        let (out, said, code) = place.run(&["-S1M", "--compress-program", program, "file"]);
        assert_eq!(code, 0, "{said}");
        assert!(out == sorted(&input), "{program}");
    }
    let (_, said, code) = place.run(&["-S1M", "--compress-program", "./missing", "file"]);
    assert_eq!(code, 2);
    assert!(said.contains("missing"), "{said}");
    let (_, said, code) = place.run(&["-S1M", "--compress-program", "false", "file"]);
    assert_eq!(code, 2);
    assert!(said.contains("false"), "{said}");
}

/// Sorted parts of one input.
fn parts(place: &Place, count: usize, rows: usize) -> (Vec<String>, Vec<u8>) {
    let mut all = Vec::new();
    let mut names = Vec::new();
    for part in 0..count {
        let bytes = sorted(&lines(rows, 100 + part as u64));
        let name = format!("part{part:05}");
        place.put(&name, &bytes);
        all.extend(bytes);
        names.push(name);
    }
    (names, sorted(&all))
}

#[test]
fn files_are_merged_in_ranges() {
    let place = Place::new();
    let (names, expected) = parts(&place, 5, 20_000);
    for options in [
        &["-m", "-S1M"][..],
        &["-m", "-S1M", "--parallel=1"],
        &["-m", "-S1M", "--batch-size=2"],
        &["-m", "-S200M"],
    ] {
        let args: Vec<&str> = options.iter().copied().chain(names.iter().map(String::as_str)).collect();
        let (out, said, code) = place.run(&args);
        assert_eq!(code, 0, "{said}");
        assert!(out == expected, "{options:?}");
    }
    for options in ["-mu", "-mr"] {
        let mut sort = vec![options, "-S1M"];
        sort.extend(names.iter().map(String::as_str));
        if options == "-mu" {
            place.same_as_gnu(&sort, b"");
        }
    }
}

#[test]
fn merging_what_is_not_sorted_loses_nothing() {
    let place = Place::new();
    let inputs: Vec<Vec<u8>> = (0..3).map(|seed| lines(30_000, seed)).collect();
    for (at, input) in inputs.iter().enumerate() {
        place.put(&format!("in{at}"), input);
    }
    let (out, _, code) = place.run(&["-m", "-S1M", "in0", "in1", "in2"]);
    assert_eq!(code, 0);
    assert!(sorted(&out) == sorted(&inputs.concat()));
}

#[test]
fn standard_input_is_merged_with_files() {
    let place = Place::new();
    place.put("file", "b\nd\n");
    let (out, _, code) = place.run_with(&["-m", "file", "-"], b"a\nc\ne");
    assert_eq!((out.as_slice(), code), (&b"a\nb\nc\nd\ne\n"[..], 0));
}

#[test]
fn ten_thousand_files_under_a_low_descriptor_limit() {
    let place = Place::new();
    let mut list = Vec::new();
    let mut all = Vec::new();
    for file in 0..10_000u32 {
        let mut rows = [format!("{}\n", file.wrapping_mul(2_654_435_761)), format!("{file}\n")];
        rows.sort();
        let text = rows.concat();
        place.put(&format!("f{file}"), &text);
        list.extend_from_slice(format!("f{file}\0").as_bytes());
        all.extend_from_slice(text.as_bytes());
    }
    place.put("list", &list);
    for options in ["", "-m", "-m --batch-size=7"] {
        let mut shell = std::process::Command::new("sh");
        let script = format!("ulimit -n 32; exec \"$0\" {options} --files0-from=list");
        shell.arg("-c").arg(script).arg(env!("CARGO_BIN_EXE_skipsort"));
        shell.current_dir(place.folder.path()).env("TMPDIR", place.folder.path());
        let output = run(shell, b"");
        assert!(output.status.success(), "{options}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(output.stdout == sorted(&all), "{options}");
    }
}

#[test]
fn a_program_that_gives_back_less_than_it_got_is_found_out() {
    let place = Place::new();
    place.put("file", lines(60_000, 3));
    for (name, body) in
        [("less", "head -c 100000"), ("nothing", "cat >/dev/null"), ("more", "cat; echo more")]
    {
        let script = format!("#!/bin/sh\nif [ \"$1\" = -d ]; then {body}; else cat; fi\n");
        let path = place.put(name, script);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let program = format!("--compress-program=./{name}");
        let (out, said, code) = place.run(&["-S1M", &program, "file", "-o", "out"]);
        assert_eq!((out.len(), code), (0, 2), "{name}: {said}");
        assert!(said.contains("does not give back what it was given"), "{name}: {said}");
        assert!(!place.path("out").exists());
    }
}

#[test]
fn a_temporary_file_that_has_changed_is_found_out() {
    let place = Place::new();
    place.put("file", lines(60_000, 3));
    place.put("out", "old");
    let path = place.put("other", "#!/bin/sh\nif [ \"$1\" = -d ]; then tr e f; else cat; fi\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let (out, said, code) =
        place.run(&["-S1M", "--compress-program=./other", "-T", ".", "file", "-o", "out"]);
    assert_eq!((out.len(), code), (0, 2), "{said}");
    assert!(said.contains("a temporary file has changed: run 0 in . is damaged: byte 0"), "{said}");
    assert_eq!(place.get("out"), b"old");
}

#[test]
fn standard_input_has_one_end() {
    let place = Place::new();
    let path = place.put("sorted", (10..9000).map(|n| format!("{n:04}\n")).collect::<String>());
    let once = place.get("sorted");
    for options in [&["-m"][..], &[], &["--limit", "20000"], &["--limit", "3", "-S1M"]] {
        let mut command = place.ours([options, &["-", "-"]].concat());
        let output = command.stdin(std::fs::File::open(&path).unwrap()).output().unwrap();
        let expected = if options.contains(&"3") { &once[..15] } else { &once };
        assert!(output.stdout == expected, "{options:?}");
    }
}
