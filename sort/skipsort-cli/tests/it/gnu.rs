//! Byte for byte what `LC_ALL=C sort` prints, over random options and inputs, shrunk when they differ.
//!
//! About a hundred combinations run by default; `SKIPSORT_CASES=500 cargo test -p skipsort-cli` runs five hundred.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRunner};

use crate::harness::{Place, gnu, lossy, run};

/// Bytes that options treat in different ways.
fn letter() -> impl Strategy<Value = u8> {
    prop_oneof![
        6 => proptest::sample::select(b"abAB019 ".to_vec()),
        3 => proptest::sample::select(b"\t,.-+:=_zZ5".to_vec()),
        1 => proptest::sample::select(b"\0\x01\r\x7f\x81\xc3\xa9\xff".to_vec()),
    ]
}

fn number() -> impl Strategy<Value = Vec<u8>> {
    let sign = proptest::sample::select(vec!["", "-", " ", "  -", "+", "0", "-0"]);
    let part = proptest::sample::select(vec!["", ".", ".5", ".50", ".05", "x", ".x", " 7"]);
    (sign, 0u32..2000, part).prop_map(|(sign, number, part)| format!("{sign}{number}{part}").into_bytes())
}

fn line() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        5 => vec(letter(), 0..12),
        2 => number(),
        2 => (number(), vec(letter(), 0..5), number()).prop_map(|(a, b, c)| [a, b" ".to_vec(), b, b",".to_vec(), c].concat()),
        1 => Just(b"shared/prefix/of/many/bytes/".to_vec()),
        1 => (1usize..300).prop_map(|len| vec![b'm'; len]),
    ]
}

/// A file: lines, and perhaps no newline at its end.
fn file() -> impl Strategy<Value = Vec<u8>> {
    let lines = prop_oneof![1 => Just(0usize..1), 6 => Just(0..40), 1 => Just(0..600)]
        .prop_flat_map(|count| vec(line(), count));
    (lines, any::<bool>()).prop_map(|(lines, ended)| {
        let mut bytes = lines.join(&b'\n');
        if ended && !lines.is_empty() {
            bytes.push(b'\n');
        }
        bytes
    })
}

fn modifiers() -> impl Strategy<Value = String> {
    let letters = prop_oneof![
        4 => Just(vec![]),
        3 => vec(proptest::sample::select(vec!['b', 'f', 'n', 'r']), 1..3),
        2 => vec(proptest::sample::select(vec!['b', 'd', 'f', 'i', 'r']), 1..4),
    ];
    letters.prop_map(|letters| letters.into_iter().collect())
}

fn key() -> impl Strategy<Value = String> {
    let start = (1usize..5, proptest::option::of(1usize..5), modifiers());
    let end =
        proptest::option::of((1usize..5, proptest::option::of(0usize..5), proptest::bool::weighted(0.2)));
    (start, end).prop_map(|((field, char, letters), end)| {
        let char = char.map_or(String::new(), |char| format!(".{char}"));
        let end = end.map_or(String::new(), |(field, char, blank)| {
            let char = char.map_or(String::new(), |char| format!(".{char}"));
            format!(",{field}{char}{}", if blank { "b" } else { "" })
        });
        format!("-k{field}{char}{letters}{end}")
    })
}

fn options() -> impl Strategy<Value = Vec<String>> {
    let global = prop_oneof![
        5 => Just(String::new()),
        1 => proptest::sample::select(vec!["-r", "-n", "-nr", "-f", "-b", "-d", "-df", "-i", "-bf", "-fr", "-bn", "--rev", "--sort=n", "--ignore-c", "--dict"]).prop_map(str::to_owned),
    ];
    let flag = |name: &'static str, weight| {
        proptest::bool::weighted(weight).prop_map(move |on| on.then(|| name.to_owned()))
    };
    let separator = proptest::option::weighted(
        0.3,
        proptest::sample::select(vec![
            "-t,",
            "-t ",
            "-t\\0",
            "-ta",
            "-t\t",
            "-t=",
            "-zt=",
            "-st-",
            "--field=+",
            "--fie==",
        ]),
    );
    let resources = proptest::sample::select(vec![
        "",
        "-S1b",
        "--parallel=1",
        "--batch-size=2",
        "-S50%",
        "--buf=1M",
        "--para=2",
    ]);
    (global, vec(key(), 0..3), separator, flag("-s", 0.25), flag("-u", 0.25), flag("-z", 0.1), resources)
        .prop_map(|(global, keys, separator, stable, unique, zero, resources)| {
            let mut all = vec![global];
            all.extend(keys);
            all.extend(separator.map(str::to_owned));
            all.extend([stable, unique, zero].into_iter().flatten());
            all.push(resources.to_owned());
            all.retain(|option| !option.is_empty());
            all
        })
}

/// What is done with the files.
#[derive(Clone, Copy, Debug)]
enum Way {
    Files,
    StandardInput,
    Check,
    /// Each file is sorted first.
    Merge,
    /// `-o` onto the first of them.
    OntoInput,
}

fn way() -> impl Strategy<Value = Way> {
    prop_oneof![
        6 => Just(Way::Files),
        2 => Just(Way::StandardInput),
        2 => Just(Way::Check),
        3 => Just(Way::Merge),
        2 => Just(Way::OntoInput),
    ]
}

fn agree(options: &[String], files: &[Vec<u8>], way: Way) -> Result<(), TestCaseError> {
    let place = Place::new();
    let names: Vec<String> = (0..files.len()).map(|at| format!("in{at}")).collect();
    let mut input: &[u8] = b"";
    let mut args = options.to_vec();
    for (name, bytes) in names.iter().zip(files) {
        place.put(name, bytes);
    }
    match way {
        Way::Files => args.extend(names),
        Way::StandardInput => {
            args.push("-".into());
            args.extend(names.into_iter().skip(1));
            input = &files[0];
        }
        Way::Check => args.extend(["-c".into(), names[0].clone()]),
        Way::Merge => {
            for name in &names {
                let mut sort = gnu(place.folder.path());
                sort.args(options).arg("-o").arg(name).arg(name);
                if !run(sort, b"").status.success() {
                    // There is nothing to merge with options that GNU sort refuses.
                    let ours = run(place.ours(options), b"");
                    prop_assert_eq!(ours.status.code(), Some(2), "{:?}", options);
                    return Ok(());
                }
            }
            args.push("-m".into());
            args.extend(names);
        }
        Way::OntoInput => {
            args.extend(["-o".into(), "in0".into()]);
            args.extend(names);
        }
    }
    let mut theirs = gnu(place.folder.path());
    theirs.args(&args);
    let theirs = run(theirs, input);
    let their_file = place.get("in0");
    place.put("in0", &files[0]);
    if matches!(way, Way::Merge) {
        place.put("in0", &their_file);
    }
    let ours = run(place.ours(&args), input);
    prop_assert_eq!(ours.status.code(), theirs.status.code(), "{:?}: {}", args, lossy(&ours.stderr));
    prop_assert!(
        ours.stdout == theirs.stdout,
        "{args:?}\nours   {:?}\ntheirs {:?}",
        lossy(&ours.stdout),
        lossy(&theirs.stdout)
    );
    prop_assert!(place.get("in0") == their_file, "{args:?}: what -o wrote");
    Ok(())
}

fn cases() -> u32 {
    std::env::var("SKIPSORT_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(100)
}

#[test]
fn output_is_gnu_sorts() {
    // Incompatible letters end both programs with 2 and are worth a case, too.
    same_as_gnu((options(), vec(file(), 1..4)));
}

/// Runs both programs with options and files of the strategy, in all ways.
pub fn same_as_gnu(strategy: impl Strategy<Value = (Vec<String>, Vec<Vec<u8>>)>) {
    let mut runner =
        TestRunner::new(Config { cases: cases(), failure_persistence: None, ..Config::default() });
    match runner.run(&(strategy, way()), |((options, files), way)| agree(&options, &files, way)) {
        Err(TestError::Fail(why, ((options, files), way))) => {
            let files: Vec<String> =
                files.iter().map(|file| String::from_utf8_lossy(file).into_owned()).collect();
            panic!("{why}\noptions {options:?}\nfiles {files:?}\n{way:?}");
        }
        other => other.expect("the strategies give cases"),
    }
}

/// Lines of every kind that has been a problem somewhere, through all ways of sorting.
#[test]
fn awkward_lines() {
    let place = Place::new();
    let inputs: [&[u8]; 9] = [
        b"",
        b"\n",
        b"\n\n\n",
        b"b\na",
        b"a\r\nb\na\n",
        b"a\0b\na\0a\na\n",
        b"\xff\xfe\n\xc3\n\xc3\xa9\n",
        b"a",
        b"\0",
    ];
    for input in inputs {
        for args in [
            "",
            "-r",
            "-u",
            "-n",
            "-s",
            "-z",
            "-f -u",
            "-k1,1",
            "-k2 -r",
            "-t, -k2n",
            "-k1.2,1.3r",
            "-c",
            "-C",
        ] {
            let args: Vec<&str> = args.split_whitespace().collect();
            place.same_as_gnu(&args, input);
        }
    }
}

#[test]
fn lines_longer_than_the_memory() {
    let place = Place::new();
    let mut input = vec![b'x'; 9 << 20];
    input.extend_from_slice(b"\nshort\n");
    input.extend(std::iter::repeat_n(b'x', (9 << 20) + 1));
    input.extend_from_slice(b"\n\na\n");
    for args in [&["-S1M"][..], &["-S1M", "-r"], &["-S1M", "-k1,1f"], &["-S1M", "-u"], &["-S1M", "-m"]] {
        place.same_as_gnu(args, &input);
    }
}

#[test]
#[ignore = "needs 700 MB of memory and a few seconds"]
fn lines_of_a_hundred_megabytes() {
    let place = Place::new();
    let mut input = vec![b'x'; 100 << 20];
    input.extend_from_slice(b"\nw\n");
    input.extend(std::iter::repeat_n(b'x', 99 << 20));
    place.same_as_gnu(&[], &input);
    place.same_as_gnu(&["-S8M", "-r"], &input);
}
