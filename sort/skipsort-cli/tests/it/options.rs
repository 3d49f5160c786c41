//! Options that are refused, and how.

use crate::harness::Place;

#[test]
fn unsupported_options_are_refused_by_name() {
    let place = Place::new();
    for (args, word) in [
        (&["-g"][..], "general numeric"),
        (&["-h"], "human numeric"),
        (&["-M"], "months"),
        (&["-R"], "random"),
        (&["-V"], "version"),
        (&["--sort=version"], "--sort=version"),
        (&["--random-source=x"], "random"),
        (&["--debug"], "--debug"),
        (&["-k2,2V"], "version"),
        (&["--nonsense"], "--nonsense"),
    ] {
        let (out, said, code) = place.run_with(args, b"b\na\n");
        assert_eq!(code, 2, "{args:?}");
        assert!(said.contains(word), "{args:?}: {said}");
        assert!(out.is_empty());
    }
}

#[test]
fn combined_and_long_forms_mean_what_they_mean_to_gnu() {
    let place = Place::new();
    let input = b"b 2\na 10\nc 1\na 10\n";
    for args in [
        &["-rnk2,2"][..],
        &["-k", "2,2", "-n", "-r"],
        &["--key=2,2", "--numeric-sort", "--reverse"],
        &["--key", "1,1", "--unique"],
        &["-t", " ", "-k2n"],
        &["--field-separator= ", "-k2,2n"],
        &["-suk1,1"],
        &["--sort=numeric", "-k2"],
        &["-", "-r"],
        &["--ignore-case", "--stable"],
        &["--check=quiet"],
        &["--check"],
        &["-cu"],
        &["-r", "-r"],
    ] {
        place.same_as_gnu(args, input);
    }
}

#[test]
fn names_come_from_a_list() {
    let place = Place::new();
    place.put("a", "3\n1");
    place.put("b", "2\n");
    place.put("list", "a\0b\0");
    place.same_as_gnu(&["--files0-from=list"], b"");
    place.same_as_gnu(&["--files0-from=-"], b"a\0b");
    place.same_as_gnu(&["--files0-from=list", "a"], b"");
    place.same_as_gnu(&["--files0-from=-"], b"a\0\0b");
    place.same_as_gnu(&["--files0-from=missing"], b"");
}

#[test]
fn help_and_version_go_to_standard_output() {
    let place = Place::new();
    let (out, _, code) = place.run(&["--help"]);
    assert_eq!(code, 0);
    assert!(String::from_utf8(out).unwrap().contains("--compress-program"));
    assert_eq!(place.run(&["--version"]).2, 0);
}
