//! `-c` and `-C`.

use crate::harness::Place;

#[test]
fn names_the_line() {
    let place = Place::new();
    place.put("file", "a\nc\nb\n");
    let (out, said, code) = place.run(&["-c", "file"]);
    assert_eq!((out, said.as_str(), code), (Vec::new(), "skipsort: file:3: disorder: b\n", 1));
    assert_eq!(place.run_with(&["-c"], b"b\na\n").1, "skipsort: -:2: disorder: a\n");
    let (_, said, code) = place.run(&["-C", "file"]);
    assert_eq!((said.as_str(), code), ("", 1));
}

#[test]
fn checks_the_order_that_is_asked_for() {
    let place = Place::new();
    for (args, input) in [
        (&["-c"][..], "a\na\nb\n"),
        (&["-c", "-u"], "a\na\nb\n"),
        (&["-c", "-r"], "c\nb\na\n"),
        (&["-c", "-n"], "2\n10\n9\n"),
        (&["-c", "-k2,2"], "b 1\na 1\n"),
        (&["-c", "-s", "-k2,2"], "b 1\na 1\n"),
        (&["-c", "-z"], "b\na\n"),
    ] {
        place.same_as_gnu(args, input.as_bytes());
    }
}

#[test]
fn takes_one_file() {
    let place = Place::new();
    place.put("a", "");
    let (_, said, code) = place.run(&["-c", "a", "a"]);
    assert_eq!(code, 2);
    assert!(said.contains("extra operand"), "{said}");
}
