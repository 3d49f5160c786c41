//! No bytes are too strange for a reader.

use proptest::prelude::*;

use super::TABLE;
use crate::{Captured, Lines, Options};

fn read_all(bytes: &[u8]) {
    for reader in TABLE {
        let mut captured = Captured::new(Options { samples: 3, seed: 1 }, reader.dialect());
        let (mut input, mut watch) = (bytes, |_| Ok(()));
        reader.read(&mut Lines::new(&mut input, &mut watch), &mut captured).expect("bytes are no fault");
        let _ = reader.fits(&String::from_utf8_lossy(bytes));
        captured.patterns();
    }
}

/// Lines that are nearly what a reader expects.
const PIECES: [&str; 16] = [
    "2026-11-25 19:00:00.123 UTC [4711] LOG:  duration: 0.1 ms  statement: ",
    "2026-11-25 19:00:00.123 UTC [4711] DETAIL:  parameters: $1 = '5', $2 = 'it''s",
    "LOG:  duration: 0.1 ms  execute s1: SELECT $1, $99999999999999999999",
    "# Query_time: 0.1",
    "# User@Host: x  Id:     8",
    "SET timestamp=1;",
    "2026-11-25T19:00:00Z\t    8 Query\tBEGIN",
    "2026-11-25T19:00:00Z\t    8 Execute\tUPDATE t SET a = 'x",
    "{\"error_severity\":\"LOG\",\"message\":\"statement: SELECT 1\"}",
    ",,,,,s,,,,,,LOG,,\"statement: SELECT \"\"a\"\"\",\"parameters: $1 = 'x'\",",
    "SELECT 'a''b', \"c\", $q$d$q$ FROM t WHERE x IN (1,2,3)",
    "BEGIN",
    "COMMIT",
    "\tcontinued",
    "\"",
    "",
];

proptest! {
    #[test]
    fn no_line_ends_a_reader(
        lines in prop::collection::vec((0..PIECES.len(), "[ -~\\t'\"\\\\é]{0,20}"), 0..20),
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let text: String = lines.iter().map(|(piece, tail)| format!("{}{tail}\n", PIECES[*piece])).collect();
        read_all(text.as_bytes());
        read_all(&bytes);
    }
}
