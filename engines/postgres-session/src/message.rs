//! Decodes the server messages that matter here: errors, command tags, rows.

use humdrum_contract::{Column, RowHash};
use humdrum_model::Fault;

/// Tags of the messages that matter here.
pub(super) mod tags {
    pub const AUTHENTICATION: u8 = b'R';
    pub const BACKEND_KEY: u8 = b'K';
    pub const COMMAND_COMPLETE: u8 = b'C';
    pub const COPY_IN: u8 = b'G';
    pub const DATA_ROW: u8 = b'D';
    pub const EMPTY: u8 = b'I';
    pub const ERROR: u8 = b'E';
    pub const READY: u8 = b'Z';
    pub const ROW_DESCRIPTION: u8 = b'T';
}

/// deadlock_detected, serialization_failure.
const RETRYABLE: [&str; 2] = ["40P01", "40001"];

/// Severity, message and SQLSTATE of an ErrorResponse. FATAL and PANIC end the session, so they are crashes.
pub(super) fn server_error(body: &[u8]) -> Fault {
    let (mut severity, mut message, mut code, mut detail) = ("", "", "", "");
    for field in body.split(|byte| *byte == 0).filter(|field| !field.is_empty()) {
        let text = std::str::from_utf8(&field[1..]).unwrap_or("(not UTF-8)");
        match field[0] {
            b'S' => severity = text,
            b'M' => message = text,
            b'C' => code = text,
            b'D' => detail = text,
            _ => {}
        }
    }
    let detail = if detail.is_empty() { String::new() } else { format!(" ({detail})") };
    let what = format!("{severity}: {message}{detail} [{code}]");
    match severity {
        "FATAL" | "PANIC" => Fault::crash(what),
        _ if RETRYABLE.contains(&code) => Fault::environment(what).retryable(),
        _ => Fault::environment(what),
    }
}

/// The count at the end of a command tag ("UPDATE 3", "COPY 100", "INSERT 0 1").
pub(super) fn rows_changed(tag: &[u8]) -> u64 {
    let text = tag.strip_suffix(&[0]).unwrap_or(tag);
    let digits = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    text[text.len() - digits..]
        .iter()
        .fold(0_u64, |sum, digit| sum.saturating_mul(10).saturating_add(u64::from(digit - b'0')))
}

/// The values of a DataRow in text form.
pub(super) fn text_row(body: &[u8]) -> Vec<Option<String>> {
    values(body).map(|value| value.map(|bytes| String::from_utf8_lossy(bytes).into_owned())).collect()
}

/// The hash of a DataRow, as all sessions compute it.
pub(super) fn hash_row(body: &[u8]) -> u64 {
    let mut hash = RowHash::new(values(body).count());
    values(body).for_each(|value| hash.value(value));
    hash.finish()
}

/// Object ids of `int8`, `int2` and `int4` in every release (`pg_type.dat`).
const INTEGER_OIDS: [u32; 3] = [20, 21, 23];

/// The columns of a RowDescription; what cannot be read is left out.
pub(super) fn columns(body: &[u8]) -> Vec<Column> {
    let mut rest = body.get(2..).unwrap_or_default();
    std::iter::from_fn(|| {
        let end = rest.iter().position(|byte| *byte == 0)?;
        let name = String::from_utf8_lossy(&rest[..end]).into_owned();
        // Of the table: id and number. Of the type: id, size, modifier. Format.
        let facts = rest.get(end + 1..end + 19)?;
        rest = &rest[end + 19..];
        let oid = facts[6..10].iter().fold(0, |oid, byte| oid << 8 | u32::from(*byte));
        Some(Column { name, is_integer: INTEGER_OIDS.contains(&oid) })
    })
    .collect()
}

fn values(body: &[u8]) -> impl Iterator<Item = Option<&[u8]>> {
    let mut rest = body.get(2..).unwrap_or_default();
    std::iter::from_fn(move || {
        let (length, tail) = rest.split_first_chunk::<4>()?;
        let length = i32::from_be_bytes(*length);
        let (value, after) = tail.split_at(usize::try_from(length).unwrap_or(0).min(tail.len()));
        rest = after;
        Some((length >= 0).then_some(value))
    })
}

#[cfg(test)]
mod tests {
    use humdrum_model::FaultKind;

    use super::*;

    #[test]
    fn reads_counts_from_tags() {
        assert_eq!(rows_changed(b"UPDATE 37\0"), 37);
        assert_eq!(rows_changed(b"INSERT 0 1\0"), 1);
        assert_eq!(rows_changed(b"BEGIN\0"), 0);
        assert_eq!(rows_changed(b"COPY 99999999999999999999999\0"), u64::MAX);
    }

    #[test]
    fn reads_columns() {
        let column = |name: &[u8], oid: u8| [name, &[0; 7], &[0, 0, 0, oid], &[0; 8]].concat();
        let body = [&[0, 2][..], &column(b"id", 20), &column(b"name", 25)].concat();
        let named = |name: &str, is_integer| Column { name: name.into(), is_integer };
        assert_eq!(columns(&body), [named("id", true), named("name", false)]);
        assert_eq!(columns(&body[..9]), []);
    }

    #[test]
    fn reads_rows_with_nulls() {
        let body = [0, 2, 0, 0, 0, 2, b'4', b'2', 0xff, 0xff, 0xff, 0xff];
        assert_eq!(text_row(&body), [Some("42".to_owned()), None]);
        let mut hash = RowHash::new(2);
        hash.value(Some(b"42"));
        hash.value(None);
        assert_eq!(hash_row(&body), hash.finish());
    }

    #[test]
    fn fatal_errors_are_crashes() {
        let fatal = server_error(b"SFATAL\0C57P01\0Mterminating connection\0\0");
        assert_eq!(
            (fatal.kind, fatal.what.as_str()),
            (FaultKind::Crash, "FATAL: terminating connection [57P01]")
        );
        assert_eq!(server_error(b"SERROR\0C42P01\0Mno such table\0\0").kind, FaultKind::Environment);
    }

    #[test]
    fn statements_that_were_undone_for_another_may_be_done_again() {
        let retryable = |body: &[u8]| server_error(body).retryable;
        assert!(retryable(b"SERROR\0C40P01\0Mdeadlock detected\0\0"));
        assert!(retryable(b"SERROR\0C40001\0Mcould not serialize access\0\0"));
        assert!(!retryable(b"SERROR\0C42P01\0Mno such table\0\0"));
        assert!(!retryable(b"SFATAL\0C40P01\0Mdeadlock detected\0\0"));
    }
}
