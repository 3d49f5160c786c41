//! Supplies rows for loading a table, one at a time, and numbers them if the server would have to.

use std::io::Write;

use humdrum_contract::RowSource;

/// Rows of a source, with access to the next one before it is taken.
pub(crate) struct Feed<'a> {
    source: &'a mut dyn RowSource,
    /// Number of the next row, if rows are numbered here.
    number: Option<u64>,
    row: Vec<u8>,
    /// Number and row, tab-separated.
    line: Vec<u8>,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// The next row is not known.
    Unread,
    /// It is in `line`.
    Ready,
    /// There is none.
    Ended,
}

impl<'a> Feed<'a> {
    /// `number`: that of the first row, if rows are to be numbered.
    pub(crate) fn new(source: &'a mut dyn RowSource, number: Option<u64>) -> Self {
        Self {
            source,
            number,
            row: Vec::with_capacity(256),
            line: Vec::with_capacity(256),
            state: State::Unread,
        }
    }

    /// The next row; it stays until it is taken.
    pub(crate) fn peek(&mut self) -> Option<&[u8]> {
        if self.state == State::Unread {
            self.read();
        }
        (self.state == State::Ready).then_some(&self.line)
    }

    /// Drops the row that was read ahead.
    pub(crate) fn take(&mut self) {
        if self.state == State::Ready {
            self.state = State::Unread;
        }
    }

    fn read(&mut self) {
        self.row.clear();
        if !self.source.next_row(&mut self.row) {
            self.state = State::Ended;
            return;
        }
        self.line.clear();
        if let Some(number) = &mut self.number {
            write!(self.line, "{number}\t").expect("a vector takes all that is written to it");
            *number += 1;
        }
        self.line.extend_from_slice(&self.row);
        self.state = State::Ready;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Letters(std::vec::IntoIter<&'static str>);

    impl RowSource for Letters {
        fn next_row(&mut self, row: &mut Vec<u8>) -> bool {
            assert!(row.is_empty());
            self.0.next().map(|letter| row.extend_from_slice(letter.as_bytes())).is_some()
        }
    }

    #[test]
    fn rows_are_numbered_and_stay_until_taken() {
        let mut letters = Letters(vec!["a", "b"].into_iter());
        let mut feed = Feed::new(&mut letters, Some(9));
        assert_eq!(feed.peek(), Some(&b"9\ta"[..]));
        feed.take();
        assert_eq!(feed.peek(), Some(&b"10\tb"[..]));
        assert_eq!(feed.peek(), Some(&b"10\tb"[..]));
        feed.take();
        assert_eq!(feed.peek(), None);
        feed.take();
        assert_eq!(feed.peek(), None, "the end stays");
    }

    #[test]
    fn rows_may_go_as_they_are() {
        let mut letters = Letters(vec!["a\tb"].into_iter());
        assert_eq!(Feed::new(&mut letters, None).peek(), Some(&b"a\tb"[..]));
    }
}
