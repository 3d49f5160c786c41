//! `--locale`, where the program is built with it and where it is not.

use crate::harness::{Place, run};

const WORDS: &str = "zebra\nähnlich\nort\nÄpfel\nöl\når\napfel\nZebra\n";

#[cfg(not(feature = "locale"))]
#[test]
fn a_build_without_languages_says_how_to_get_them() {
    let place = Place::new();
    let (out, said, code) = place.run_with(&["--locale=sv"], WORDS.as_bytes());
    assert_eq!((out.len(), code), (0, 2));
    assert!(said.contains("--features locale"), "{said}");
    let mut command = place.ours(["--locale"]);
    command.env("LC_ALL", "C");
    let said = run(command, b"").stderr;
    assert!(String::from_utf8_lossy(&said).contains("--locale=sv"));
}

#[cfg(feature = "locale")]
#[test]
fn words_are_in_the_order_of_their_language() {
    let place = Place::new();
    let swedish = "apfel\nort\nzebra\nZebra\når\nähnlich\nÄpfel\nöl\n";
    let german = "ähnlich\napfel\nÄpfel\når\nöl\nort\nzebra\nZebra\n";
    for (tag, expected) in [("sv", swedish), ("de", german), ("de-DE", german)] {
        let (out, said, code) = place.run_with(&[&format!("--locale={tag}")], WORDS.as_bytes());
        assert_eq!((String::from_utf8(out).unwrap().as_str(), code), (expected, 0), "{tag}: {said}");
        let reversed: String = expected.split_inclusive('\n').rev().collect();
        let out = place.run_with(&[&format!("--locale={tag}"), "-r"], WORDS.as_bytes()).0;
        assert_eq!(String::from_utf8(out).unwrap(), reversed, "{tag}");
    }
    let mut command = place.ours(["--locale", "-k2,2", "--debug"]);
    command.env("LC_ALL", "sv_SE.UTF-8");
    let output = run(command, "1 ö\n2 z\n3 a\n".as_bytes());
    assert!(output.stdout.starts_with(b"3 a"));
    assert!(output.stdout.windows(4).any(|part| part == "1 ö".as_bytes()));
    assert!(String::from_utf8_lossy(&output.stderr).contains("using 'sv-SE' sorting rules"));
    assert!(place.run(&["--locale=x_"]).1.contains("language tag"));
}

/// Keys longer than the lines, through runs and merges.
#[cfg(feature = "locale")]
#[test]
fn much_text_with_little_memory() {
    let place = Place::new();
    let words: Vec<&str> = WORDS.lines().collect();
    let word = |at: usize| words[at % words.len()];
    let input: String =
        (0..60_000usize).map(|n| format!("{} {}\n", word(n * 7 + n / 13), word(n / 8))).collect();
    place.put("file", input + &"\u{fdfa}".repeat(3000) + "\n\n\n");
    let (large, said, code) = place.run(&["--locale=de", "-S64M", "file"]);
    assert_eq!(code, 0, "{said}");
    assert!(large == place.run(&["--locale=de", "-S1M", "file"]).0);
    place.put("large", &large);
    assert_eq!(place.run(&["--locale=de", "-c", "large"]).2, 0);
}
