//! From sorted rows in memory to lines or a run.

use std::ops::Range;

use skipsort::{Consumer, Text, TextRow};

use crate::bytes;
use crate::order::Layout;
use crate::output::writer::{Distinct, Form, Piece, Writer};

/// How many rows ahead their bytes are asked for: sorted rows are all over the text.
const AHEAD: usize = 16;

/// Takes ranges of sorted rows and hands them to the sink.
pub(crate) struct Emit<'t, 's, 'k> {
    pub(crate) text: Text<'t>,
    pub(crate) piece: Piece<'s, 'k>,
}

impl Consumer for Emit<'_, '_, '_> {
    fn ready(&self, at: usize) -> bool {
        self.piece.sink.ready(at)
    }

    fn consume(&self, range: Range<usize>, rows: &[TextRow]) {
        if self.piece.order.descending {
            let mut writer = Writer::new(self.piece, range.end);
            self.write(rows.iter().rev(), rows.iter().rev().skip(AHEAD), &mut writer);
            writer.finish(range.start);
        } else {
            let mut writer = Writer::new(self.piece, range.start);
            self.write(rows.iter(), rows.iter().skip(AHEAD), &mut writer);
            writer.finish(range.end);
        }
    }

    fn wants_more(&self) -> bool {
        self.piece.sink.goes_on()
    }
}

impl Emit<'_, '_, '_> {
    fn write<'r>(
        &self,
        rows: impl Iterator<Item = &'r TextRow>,
        mut ahead: impl Iterator<Item = &'r TextRow>,
        writer: &mut Writer<'_, '_>,
    ) {
        let order = self.piece.order;
        let as_lines = self.piece.form == Form::Lines;
        let mut distinct = Distinct::new(order);
        let mut before: Option<&[u8]> = None;
        for row in rows {
            if let Some(ahead) = ahead.next() {
                self.text.prefetch(*ahead);
            }
            let (line, key_len) = order.line(&self.text, *row);
            if as_lines && !order.unique {
                writer.push_line(line);
                continue;
            }
            let bare = &line[..line.len() - order.tail()];
            let key = match order.layout {
                Layout::Whole => bare,
                Layout::KeyThenLine => &self.text.bytes()[row.start()..][..key_len + bare.len()],
                Layout::KeyAndLine => &self.text.bytes()[row.start()..][..key_len],
            };
            let last = before.replace(key);
            if as_lines {
                // Lengths tell most neighbours apart; what they share is not asked for.
                if last != Some(key) {
                    writer.push_line(line);
                }
                continue;
            }
            let shared = last.map_or(0, |last| bytes::common(last, key, 0));
            if distinct.wants(key.len(), shared) {
                writer.push(key, bare, shared);
            }
        }
    }
}

/// Takes ranges of sorted rows of a caller's text.
pub(crate) struct EmitText<'t, 's, 'k, F> {
    pub(crate) text: Text<'t>,
    pub(crate) piece: Piece<'s, 'k>,
    pub(crate) payload: F,
}

impl<'t, F: Fn(TextRow) -> &'t [u8] + Sync> Consumer for EmitText<'t, '_, '_, F> {
    fn ready(&self, at: usize) -> bool {
        self.piece.sink.ready(at)
    }

    fn consume(&self, range: Range<usize>, rows: &[TextRow]) {
        let mut writer = Writer::new(self.piece, range.start);
        let mut ahead = rows.iter().skip(AHEAD);
        let mut distinct = Distinct::new(self.piece.order);
        let mut before: Option<&[u8]> = None;
        for row in rows {
            if let Some(ahead) = ahead.next() {
                self.text.prefetch(*ahead);
            }
            let key = self.text.key(*row);
            let shared = before.replace(key).map_or(0, |last| bytes::common(last, key, 0));
            if distinct.wants(key.len(), shared) {
                writer.push(key, (self.payload)(*row), shared);
            }
        }
        writer.finish(range.end);
    }

    fn wants_more(&self) -> bool {
        self.piece.sink.goes_on()
    }
}
