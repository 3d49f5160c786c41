//! Replies as servers send them, whole, in pieces, broken, and as noise.

use proptest::prelude::*;

use super::*;
use crate::wire::tests::{packet, wire_with};

/// Packets numbered from 1.
fn reply(payloads: &[&[u8]]) -> Vec<u8> {
    (1..).zip(payloads).flat_map(|(number, payload)| packet(number, payload)).collect()
}

fn on_wire<T>(bytes: Vec<u8>, step: usize, short_results: bool, read: impl FnOnce(&mut Wire) -> T) -> T {
    let (mut wire, writer) = wire_with(bytes, step);
    wire.short_results = short_results;
    let result = read(&mut wire);
    drop(wire);
    writer.join().expect("writer");
    result
}

/// `SELECT c, id …` as two text rows, the second with a NULL.
const TEXT: [&[u8]; 5] = [
    b"\x02",
    b"\x03def\0\0\0\x01c\0\x0c\x08\x00\x78\x00\x00\x00\xfe\x01\x00\x00\x00\x00",
    b"\x03def\0\0\0\x02id\0\x0c\x3f\x00\x0b\x00\x00\x00\x03\x03\x42\x00\x00\x00",
    b"\x03abc\x0242",
    b"\xfb\x0243",
];
const END: &[u8] = b"\xfe\0\0\x02\0";
const SHORT_END: &[u8] = b"\xfe\0\0\x02\0\0\0";

fn text_reply(short_results: bool) -> Vec<u8> {
    let [count, c, id, one, two] = TEXT;
    if short_results {
        return reply(&[count, c, id, one, two, SHORT_END]);
    }
    reply(&[count, c, id, END, one, two, END])
}

#[test]
fn rows_are_counted_in_long_and_short_results() {
    for (short, step) in [(false, 1), (false, 4096), (true, 1), (true, 4096)] {
        assert_eq!(on_wire(text_reply(short), step, short, Wire::count_rows), Ok(2));
    }
}

#[test]
fn text_and_binary_rows_have_the_same_hash() {
    let texts = on_wire(text_reply(true), 64, true, Wire::text_rows).expect("rows");
    assert_eq!(texts, [[Some("abc".to_owned()), Some("42".into())], [None, Some("43".into())]]);
    let [count, c, id, ..] = TEXT;
    let binary = reply(&[count, c, id, b"\0\0\x03abc\x2a\0\0\0", b"\0\x04\x2b\0\0\0", SHORT_END]);
    let binary = on_wire(binary, 7, true, Wire::hash_rows::<true>).expect("rows");
    let text = on_wire(text_reply(true), 7, true, Wire::hash_rows::<false>).expect("rows");
    assert_eq!((binary.rows, binary), (2, text));
}

#[test]
fn changed_rows_are_counted_where_none_are_returned() {
    assert_eq!(on_wire(reply(&[b"\0\x07\0\x02\0\0\0"]), 9, true, Wire::count_rows), Ok(7));
}

#[test]
fn the_last_of_several_results_counts() {
    let [count, c, id, one, _] = TEXT;
    let more = b"\xfe\0\0\x0a\0\0\0";
    let bytes = reply(&[count, c, id, one, more, b"\0\x01\0\x0a\0\0\0", count, c, id, one, SHORT_END]);
    let rows = on_wire(bytes, 64, true, Wire::text_rows).expect("rows");
    assert_eq!(rows, [[Some("abc".to_owned()), Some("42".into())]]);
}

#[test]
fn an_error_among_rows_leaves_the_session_usable() {
    let [count, c, id, one, _] = TEXT;
    let interrupted = b"\xff\x25\x05#70100Query execution was interrupted";
    let bytes = [reply(&[count, c, id, one, interrupted]), text_reply(true)].concat();
    on_wire(bytes, 64, true, |wire| {
        let said = wire.count_rows().expect_err("interrupted").what;
        assert_eq!(said, "ERROR 1317 (70100): Query execution was interrupted");
        assert_eq!(wire.count_rows(), Ok(2));
    });
}

proptest! {
    /// Whatever a server sends, it is a fault or an answer, and never a panic.
    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), short: bool) {
        let _ = on_wire(bytes.clone(), 64, short, Wire::count_rows);
        let _ = on_wire(bytes.clone(), 64, short, Wire::text_rows);
        let _ = on_wire(bytes, 64, short, Wire::hash_rows::<true>);
    }

    /// A true reply with some bytes changed or its end cut off gets further than noise does.
    #[test]
    fn broken_replies_are_read_without_a_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        length: prop::sample::Index,
        short: bool,
        cut: bool,
    ) {
        let mut bytes = text_reply(short);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if cut {
            bytes.truncate(length.index(bytes.len()));
        }
        let _ = on_wire(bytes.clone(), 64, short, Wire::hash_rows::<false>);
        let _ = on_wire(bytes, 64, short, Wire::hash_rows::<true>);
    }
}
