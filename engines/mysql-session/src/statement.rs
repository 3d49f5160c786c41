//! The message of the hot path: a prepared statement's execution in one write. All but the parameters is
//! known when the statement is prepared, so an operation copies a head and its values.
//!
//! ```text
//!   first   │ header │ 17 id flags 1 │ NULLs │ 1 │ types │ values
//!   later   │ header │ 17 id flags 1 │ NULLs │ 0 │ values
//! ```
//!
//! Values of inferred types say their types themselves, so these are sent again whenever they change.
//!
//! Parameters and rows are in binary form, as with the clients that engineers use.

use humdrum_contract::{Param, ParamType};

use crate::columns::types;
use crate::each_time::EachTime;
use crate::wire::HEADER_BYTES;

mod commands {
    pub const QUIT: u8 = 0x01;
    pub const QUERY: u8 = 0x03;
    pub const PING: u8 = 0x0e;
    pub const PREPARE: u8 = 0x16;
    pub const EXECUTE: u8 = 0x17;
    pub const CLOSE: u8 = 0x19;
}

/// A prepared statement.
#[derive(Debug)]
pub(crate) enum Prepared {
    /// Known to the server.
    Known(Known),
    /// One that this server cannot prepare (BEGIN, before MariaDB 10.6): sent as text each time, as the clients
    /// that engineers use in practice do.
    Text(Vec<u8>),
    /// Prepared anew each time it runs.
    EachTime(EachTime),
}

/// A prepared statement of the server.
#[derive(Debug)]
pub(crate) struct Known {
    /// Declared types, in order.
    params: Vec<ParamType>,
    /// All that goes before the values, with the types and without them.
    with_types: Vec<u8>,
    without_types: Vec<u8>,
    /// Where the NULL bits begin.
    nulls: usize,
    /// The types that the server has or was sent last, for values of inferred types.
    sent: Vec<u8>,
    /// Whether the server already has the types.
    pub(crate) types_sent: bool,
}

impl Known {
    /// The statement that the server calls `id`.
    pub(crate) fn new(id: u32, params: &[ParamType]) -> Self {
        let mut head = command(commands::EXECUTE);
        head.extend_from_slice(&id.to_le_bytes());
        head.push(0); // no cursor
        head.extend_from_slice(&1u32.to_le_bytes()); // iterations, always one
        let nulls = head.len();
        head.resize(nulls + params.len().div_ceil(8), 0); // no parameter is NULL
        let (mut with_types, mut without_types) = (head.clone(), head);
        if !params.is_empty() {
            with_types.push(1);
            with_types.extend(params.iter().flat_map(|param| [type_of(*param), 0]));
            without_types.push(0);
        }
        let params = params.to_vec();
        Self { params, with_types, without_types, nulls, sent: Vec::new(), types_sent: false }
    }

    /// Takes the place of a statement that was closed: the server knows `id`, and no types.
    pub(crate) fn renew(&mut self, id: u32) {
        let place = HEADER_BYTES + 1..HEADER_BYTES + 5;
        self.with_types[place.clone()].copy_from_slice(&id.to_le_bytes());
        self.without_types[place].copy_from_slice(&id.to_le_bytes());
        self.types_sent = false;
    }

    /// Replaces `out` by the whole message.
    #[inline]
    pub(crate) fn message(&mut self, params: &[Param<'_>], out: &mut Vec<u8>) {
        assert_eq!(
            params.len(),
            self.params.len(),
            "a statement takes as many parameters as it was prepared for"
        );
        if self.params.first() == Some(&ParamType::Inferred) {
            return self.message_of_values(params, out);
        }
        debug_assert!(params.iter().map(declared_type).eq(self.params.iter().copied()), "and of those types");
        out.clear();
        out.extend_from_slice(if self.types_sent { &self.without_types } else { &self.with_types });
        for param in params {
            push_param(*param, out);
        }
    }

    /// The message for values that say their own types. The head is that without types, up to the NULL bits.
    fn message_of_values(&mut self, params: &[Param<'_>], out: &mut Vec<u8>) {
        let same = self.sent.iter().copied().eq(params.iter().map(type_of_value));
        if !same {
            self.sent.clear();
            self.sent.extend(params.iter().map(type_of_value));
        }
        out.clear();
        out.extend_from_slice(&self.without_types);
        for (number, _) in params.iter().enumerate().filter(|(_, param)| **param == Param::Null) {
            out[self.nulls + number / 8] |= 1 << (number % 8);
        }
        self.types_sent &= same;
        if !self.types_sent {
            if let Some(marker) = out.last_mut() {
                *marker = 1;
            }
            out.extend(self.sent.iter().flat_map(|kind| [*kind, 0]));
        }
        for param in params {
            push_param(*param, out);
        }
    }
}

/// Replaces `out` by SQL text as a command.
#[inline]
pub(crate) fn query(sql: &str, out: &mut Vec<u8>) {
    out.clear();
    out.extend_from_slice(&[0; HEADER_BYTES]);
    out.push(commands::QUERY);
    out.extend_from_slice(sql.as_bytes());
}

/// Asks the server to prepare `sql`.
pub(crate) fn prepare(sql: &str) -> Vec<u8> {
    let mut message = command(commands::PREPARE);
    message.extend_from_slice(sql.as_bytes());
    message
}

/// Asks the server to forget a statement. It does not answer.
pub(crate) fn close(id: u32) -> [u8; HEADER_BYTES + 5] {
    let [a, b, c, d] = id.to_le_bytes();
    [0, 0, 0, 0, commands::CLOSE, a, b, c, d]
}

/// Turns a message that prepares a statement into one that runs it as text.
pub(crate) fn as_text(prepare: &[u8]) -> Vec<u8> {
    let mut message = prepare.to_vec();
    message[HEADER_BYTES] = commands::QUERY;
    message
}

/// The ping command.
pub(crate) fn ping() -> Vec<u8> {
    command(commands::PING)
}

/// Says goodbye.
pub(crate) fn quit() -> Vec<u8> {
    command(commands::QUIT)
}

fn command(command: u8) -> Vec<u8> {
    let mut message = vec![0; HEADER_BYTES];
    message.push(command);
    message
}

fn type_of(param: ParamType) -> u8 {
    match param {
        ParamType::Int => types::LONG,
        ParamType::Text | ParamType::Inferred => types::VAR_STRING,
    }
}

fn declared_type(param: &Param<'_>) -> ParamType {
    match param {
        Param::Int(_) => ParamType::Int,
        Param::Text(_) => ParamType::Text,
        Param::Long(_) | Param::Bool(_) | Param::Null => ParamType::Inferred,
    }
}

/// A NULL has the type of an integer, so that types change less often.
fn type_of_value(param: &Param<'_>) -> u8 {
    match param {
        Param::Int(_) => types::LONG,
        Param::Long(_) | Param::Null => types::LONGLONG,
        Param::Bool(_) => types::TINY,
        Param::Text(_) => types::VAR_STRING,
    }
}

#[inline]
fn push_param(param: Param<'_>, out: &mut Vec<u8>) {
    match param {
        Param::Int(value) => out.extend_from_slice(&value.to_le_bytes()),
        Param::Long(value) => out.extend_from_slice(&value.to_le_bytes()),
        Param::Bool(value) => out.push(u8::from(value)),
        Param::Null => {}
        Param::Text(value) => {
            push_length(value.len(), out);
            out.extend_from_slice(value.as_bytes());
        }
    }
}

/// Writes a length as `Cursor::length` reads it.
fn push_length(length: usize, out: &mut Vec<u8>) {
    match length {
        0..=250 => out.push(length as u8),
        251..=0xffff => {
            out.push(0xfc);
            out.extend_from_slice(&(length as u16).to_le_bytes());
        }
        0x1_0000..=0xff_ffff => {
            out.push(0xfd);
            out.extend_from_slice(&(length as u32).to_le_bytes()[..3]);
        }
        _ => {
            out.push(0xfe);
            out.extend_from_slice(&(length as u64).to_le_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cursor::Cursor;

    /// Byte for byte as the protocol documentation has it.
    #[test]
    fn types_are_sent_once() {
        let mut known = Known::new(7, &[ParamType::Int, ParamType::Text]);
        let (params, mut out) = ([Param::Int(-2), Param::Text("abc")], Vec::new());
        known.message(&params, &mut out);
        let head = [0, 0, 0, 0, 0x17, 7, 0, 0, 0, 0, 1, 0, 0, 0, 0];
        let values = [0xfe, 0xff, 0xff, 0xff, 3, b'a', b'b', b'c'];
        assert_eq!(out, [&head[..], &[1, 3, 0, 253, 0], &values].concat());
        known.types_sent = true;
        known.message(&params, &mut out);
        assert_eq!(out, [&head[..], &[0], &values].concat());
    }

    #[test]
    fn inferred_types_are_sent_when_they_change() {
        let mut known = Known::new(7, &[ParamType::Inferred; 3]);
        let mut out = Vec::new();
        let head = |nulls: u8, new: u8| [0, 0, 0, 0, 0x17, 7, 0, 0, 0, 0, 1, 0, 0, 0, nulls, new];
        let first = [Param::Long(-2), Param::Null, Param::Text("a")];
        known.message(&first, &mut out);
        let types = [types::LONGLONG, 0, types::LONGLONG, 0, types::VAR_STRING, 0];
        let long = (-2_i64).to_le_bytes();
        assert_eq!(out, [&head(0b010, 1)[..], &types, &long, b"\x01a"].concat());
        known.message(&first, &mut out);
        assert_eq!(out[..16], head(0b010, 1), "no answer says yet that the server has them");
        known.types_sent = true;
        known.message(&first, &mut out);
        assert_eq!(out, [&head(0b010, 0)[..], &long, b"\x01a"].concat());
        known.message(&[Param::Null, Param::Null, Param::Bool(true)], &mut out);
        let types = [types::LONGLONG, 0, types::LONGLONG, 0, types::TINY, 0];
        assert_eq!(out, [&head(0b011, 1)[..], &types, &[1]].concat());
        assert!(!known.types_sent);
    }

    #[test]
    fn a_statement_without_parameters_is_a_head() {
        let mut out = Vec::new();
        Known::new(1, &[]).message(&[], &mut out);
        assert_eq!(out, [0, 0, 0, 0, 0x17, 1, 0, 0, 0, 0, 1, 0, 0, 0]);
    }

    #[test]
    fn nine_parameters_have_two_bytes_of_nulls() {
        let mut out = Vec::new();
        Known::new(1, &[ParamType::Int; 9]).message(&[Param::Int(5); 9], &mut out);
        assert_eq!(out.len(), HEADER_BYTES + 10 + 2 + 1 + 2 * 9 + 4 * 9);
    }

    #[test]
    #[should_panic(expected = "as many parameters")]
    fn the_wrong_number_of_parameters_is_a_mistake_of_the_caller() {
        Known::new(1, &[]).message(&[Param::Int(1)], &mut Vec::new());
    }

    #[test]
    fn lengths_are_read_as_they_are_written() {
        for length in [0, 250, 251, 0xffff, 0x1_0000, 0xff_ffff, 0x100_0000] {
            let mut out = Vec::new();
            push_length(length, &mut out);
            assert_eq!(Cursor::new(&out).length().expect("reads"), length as u64);
        }
    }
}
