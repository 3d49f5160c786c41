//! The message of the hot path: Bind, Execute and Sync in one write. All but the parameters is known when the
//! statement is prepared, so an operation copies a prefix, its values and a suffix. The prefix of a statement that is
//! prepared each time begins with its Parse.
//!
//! Parameters of declared types are sent in binary form, those of inferred types as text, and results are received as
//! text, as with the clients that engineers use, so the server does the same work as for them.

use std::io::Write;

use humdrum_contract::{Column, Param, ParamType};

/// Object ids of `int4` and `varchar` in every release (`pg_type.dat`).
const INT4_OID: u32 = 23;
const VARCHAR_OID: u32 = 1043;

/// Describe of the unnamed portal.
const DESCRIBE: &[u8] = b"D\0\0\0\x06P\0";

/// Execute of the unnamed portal without a row limit.
const EXECUTE: &[u8] = b"E\0\0\0\x09\0\0\0\0\0";

/// Asks for the answers so far.
pub(super) const FLUSH: &[u8] = b"H\0\0\0\x04";

/// Ends what is done or undone together.
pub(super) const SYNC: &[u8] = b"S\0\0\0\x04";

/// The type the server is told for a parameter.
pub(super) fn type_oid(param: ParamType) -> u32 {
    match param {
        ParamType::Int => INT4_OID,
        ParamType::Text => VARCHAR_OID,
        ParamType::Inferred => 0,
    }
}

/// A prepared statement: its name and the head of its messages.
pub(super) struct Prepared {
    name: String,
    params: usize,
    /// Values are sent as text, because the server chooses their types.
    as_text: bool,
    /// Columns of its answer; not known of a statement that is prepared each time.
    pub(super) columns: Vec<Column>,
    /// Parse, for a statement that is prepared each time. Then `B`, length (filled in per message), portal, name, formats,
    /// parameter count.
    head: Vec<u8>,
    /// Where Bind begins in the head.
    bind: usize,
}

impl Prepared {
    pub(super) fn new(number: u32, params: &[ParamType]) -> Self {
        Self::after(Vec::new(), format!("s{number}"), params)
    }

    /// A statement without a name, which is prepared each time it runs.
    pub(super) fn each_time(sql: &str, params: &[ParamType]) -> Self {
        // Types that the server is to choose need not be listed.
        let listed = params.iter().filter(|param| **param != ParamType::Inferred);
        let types: Vec<u32> = listed.map(|param| type_oid(*param)).collect();
        let mut parse = b"P\0\0\0\0\0".to_vec();
        parse.extend_from_slice(sql.as_bytes());
        parse.push(0);
        parse.extend_from_slice(&(types.len() as u16).to_be_bytes());
        types.iter().for_each(|oid| parse.extend_from_slice(&oid.to_be_bytes()));
        let length = (parse.len() - 1) as u32;
        parse[1..5].copy_from_slice(&length.to_be_bytes());
        Self::after(parse, String::new(), params)
    }

    /// A statement whose messages begin with `head`.
    fn after(mut head: Vec<u8>, name: String, params: &[ParamType]) -> Self {
        let as_text = params.contains(&ParamType::Inferred);
        let bind = head.len();
        head.extend_from_slice(b"B\0\0\0\0\0");
        head.extend_from_slice(name.as_bytes());
        head.push(0);
        head.extend_from_slice(&1u16.to_be_bytes()); // one format for all parameters:
        head.extend_from_slice(&u16::from(!as_text).to_be_bytes()); // text or binary
        head.extend_from_slice(&(params.len() as u16).to_be_bytes());
        Self { name, params: params.len(), as_text, columns: Vec::new(), head, bind }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Replaces `out` by the whole message.
    pub(super) fn message(&self, params: &[Param<'_>], out: &mut Vec<u8>) {
        out.clear();
        self.append(params, out);
        out.extend_from_slice(SYNC);
    }

    /// The same where the rows are kept: with the question for the answer's columns, unless they are known.
    pub(super) fn described(&self, params: &[Param<'_>], out: &mut Vec<u8>) {
        out.clear();
        self.append_bind(params, out);
        if self.bind > 0 {
            out.extend_from_slice(DESCRIBE);
        }
        out.extend_from_slice(EXECUTE);
        out.extend_from_slice(SYNC);
    }

    /// Appends the message without its Sync.
    pub(super) fn append(&self, params: &[Param<'_>], out: &mut Vec<u8>) {
        self.append_bind(params, out);
        out.extend_from_slice(EXECUTE);
    }

    fn append_bind(&self, params: &[Param<'_>], out: &mut Vec<u8>) {
        assert_eq!(params.len(), self.params, "statement {} takes {} parameters", self.name, self.params);
        let start = out.len() + self.bind;
        out.extend_from_slice(&self.head);
        let push = if self.as_text { push_text } else { push_param };
        params.iter().for_each(|param| push(*param, out));
        out.extend_from_slice(&[0, 0]); // no result formats given: all text
        let length = (out.len() - start - 1) as u32;
        out[start + 1..start + 5].copy_from_slice(&length.to_be_bytes());
    }
}

fn push_param(param: Param<'_>, out: &mut Vec<u8>) {
    match param {
        Param::Int(value) => {
            out.extend_from_slice(&4u32.to_be_bytes());
            out.extend_from_slice(&value.to_be_bytes());
        }
        Param::Text(value) => {
            out.extend_from_slice(&(value.len() as u32).to_be_bytes());
            out.extend_from_slice(value.as_bytes());
        }
        Param::Null => out.extend_from_slice(&u32::MAX.to_be_bytes()),
        Param::Long(_) | Param::Bool(_) => push_text(param, out),
    }
}

/// A value as text.
fn push_text(param: Param<'_>, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    let wrote = match param {
        Param::Null => {
            out[start..].copy_from_slice(&u32::MAX.to_be_bytes());
            return;
        }
        Param::Int(value) => write!(out, "{value}"),
        Param::Long(value) => write!(out, "{value}"),
        Param::Bool(value) => write!(out, "{value}"),
        Param::Text(value) => out.write_all(value.as_bytes()),
    };
    wrote.expect("a vector takes all that is written to it");
    let length = (out.len() - start - 4) as u32;
    out[start..start + 4].copy_from_slice(&length.to_be_bytes());
}

/// A Query message: what comes before the text, the text, and what comes behind it.
pub(super) fn simple_query(sql: &str) -> ([u8; 5], &[u8], [u8; 1]) {
    let [a, b, c, d] = (sql.len() as u32 + 5).to_be_bytes();
    ([b'Q', a, b, c, d], sql.as_bytes(), [0])
}

#[cfg(test)]
mod tests {
    use bytes::BytesMut;
    use postgres_protocol::IsNull;
    use postgres_protocol::message::frontend;

    use super::*;

    /// The crate that everybody uses is the oracle for our ready-made message.
    #[test]
    fn equals_the_general_encoder() {
        let params = [Param::Int(-7), Param::Text("abc"), Param::Int(1 << 30)];
        let mut ours = Vec::new();
        Prepared::new(12, &[ParamType::Int, ParamType::Text, ParamType::Int]).message(&params, &mut ours);

        let mut theirs = BytesMut::new();
        let write = |param: &Param<'_>, out: &mut BytesMut| {
            match param {
                Param::Int(value) => out.extend_from_slice(&value.to_be_bytes()),
                Param::Text(value) => out.extend_from_slice(value.as_bytes()),
                Param::Long(_) | Param::Bool(_) | Param::Null => panic!("no declared type"),
            }
            Ok(IsNull::No)
        };
        let bound = frontend::bind("", "s12", [1], params.iter(), write, [], &mut theirs);
        assert!(bound.is_ok());
        frontend::execute("", 0, &mut theirs).expect("execute");
        frontend::sync(&mut theirs);
        assert_eq!(ours, theirs);
    }

    #[test]
    fn values_of_inferred_types_are_text() {
        let params = [Param::Long(-1 << 40), Param::Null, Param::Bool(true), Param::Text("abc")];
        let mut ours = Vec::new();
        Prepared::new(3, &[ParamType::Inferred; 4]).message(&params, &mut ours);

        let texts = [Some("-1099511627776"), None, Some("true"), Some("abc")];
        let mut theirs = BytesMut::new();
        let write = |text: &Option<&str>, out: &mut BytesMut| {
            let Some(text) = text else { return Ok(IsNull::Yes) };
            out.extend_from_slice(text.as_bytes());
            Ok(IsNull::No)
        };
        let bound = frontend::bind("", "s3", [0], texts.iter(), write, [], &mut theirs);
        assert!(bound.is_ok());
        frontend::execute("", 0, &mut theirs).expect("execute");
        frontend::sync(&mut theirs);
        assert_eq!(ours, theirs);
    }

    #[test]
    fn a_statement_that_is_prepared_each_time_is_parsed_in_the_same_write() {
        let values = [Param::Long(5)];
        let (mut counted, mut kept) = (Vec::new(), Vec::new());
        let prepared = Prepared::each_time("SELECT $1", &[ParamType::Inferred]);
        prepared.message(&values, &mut counted);
        prepared.described(&values, &mut kept);
        for (ours, describes) in [(counted, false), (kept, true)] {
            let mut theirs = BytesMut::new();
            frontend::parse("", "SELECT $1", [], &mut theirs).expect("parse");
            let write = |text: &&str, out: &mut BytesMut| {
                out.extend_from_slice(text.as_bytes());
                Ok(IsNull::No)
            };
            assert!(frontend::bind("", "", [0], ["5"].iter(), write, [], &mut theirs).is_ok());
            if describes {
                frontend::describe(b'P', "", &mut theirs).expect("describe");
            }
            frontend::execute("", 0, &mut theirs).expect("execute");
            frontend::sync(&mut theirs);
            assert_eq!(ours, theirs);
        }
    }

    #[test]
    fn query_equals_the_general_encoder() {
        let (mut ours, mut theirs) = (Vec::new(), BytesMut::new());
        let (head, text, end) = simple_query("SELECT 1");
        ours.extend_from_slice(&[&head, text, &end].concat());
        frontend::query("SELECT 1", &mut theirs).expect("query");
        assert_eq!(ours, theirs);
    }
}
