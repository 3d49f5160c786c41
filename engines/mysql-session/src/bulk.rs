//! Loading a table: LOAD DATA LOCAL INFILE from memory, or large INSERTs where the server forbids that. Each
//! chunk is a transaction, so that no undo log grows with the table.
//!
//! Rows get their numbers here and not from the server. A server reserves numbers for a statement of unknown
//! length in blocks of doubling size, and drops the rest at the statement's end. The next chunk would begin
//! after a gap, but workloads need ids 1 to n.

use humdrum_contract::{Outcome, RowSource};
use humdrum_model::Fault;

use crate::exchange::Exchange;
use crate::feed::Feed;
use crate::reply::Reply;
use crate::wire::HEADER_BYTES;

/// Text of one transaction: some tens of thousands of rows.
const CHUNK_BYTES: usize = 8 << 20;
/// Text of one packet, and one write.
const PIECE_BYTES: usize = 64 << 10;
/// Text of one INSERT, where the server's `max_allowed_packet` allows it.
const INSERT_BYTES_MAX: usize = 4 << 20;

/// The server or its configuration forbids local files: ER_NOT_ALLOWED_COMMAND, ER_CLIENT_LOCAL_FILES_DISABLED
/// (MySQL 8), ER_LOAD_INFILE_CAPABILITY_DISABLED (MariaDB).
const NO_LOCAL_FILES: [u16; 3] = [1148, 3948, 4166];

/// Loads all rows; returns how many.
pub(crate) fn load(
    exchange: &mut Exchange,
    table: &str,
    columns: &[&str],
    rows: &mut dyn RowSource,
) -> Outcome<u64> {
    let numbering = Numbering::find(exchange, table, columns)?;
    let own = numbering.iter().map(|numbering| numbering.column.as_str());
    let columns: Vec<String> = own.chain(columns.iter().copied()).map(quoted).collect();
    // A workload may have changed it since the session began.
    let answer = exchange.query("SELECT @@character_set_client")?;
    let characters = answer.into_iter().flatten().flatten().next().unwrap_or_default();
    let into = Into { table, columns: columns.join(", "), characters };
    let mut feed = Feed::new(rows, numbering.map(|numbering| numbering.first));
    let mut permission = Permission { asked: false, granted: false };
    let loaded = load_chunks(exchange, &into, &mut feed, &mut permission);
    let returned = permission.give_back(exchange);
    loaded.and_then(|rows| returned.map(|()| rows))
}

/// As `load`, past the server's binary log: on a server of the lab alone nobody reads the rows there, they would take as much of
/// the disk again, and a copy of the data would hold them too.
pub(crate) fn load_unlogged(
    exchange: &mut Exchange,
    table: &str,
    columns: &[&str],
    rows: &mut dyn RowSource,
) -> Outcome<u64> {
    exchange.query("SET SESSION sql_log_bin = 0")?;
    let loaded = load(exchange, table, columns, rows);
    let logs_again = exchange.query("SET SESSION sql_log_bin = 1");
    loaded.and_then(|rows| logs_again.map(|_| rows))
}

/// Where the rows go.
struct Into<'a> {
    table: &'a str,
    /// With commas.
    columns: String,
    /// Character set of the session, in which rows come.
    characters: String,
}

/// A column that the server would number.
struct Numbering {
    column: String,
    /// The first number that is free.
    first: u64,
}

impl Numbering {
    fn find(exchange: &mut Exchange, table: &str, columns: &[&str]) -> Outcome<Option<Self>> {
        let rows =
            exchange.query(&format!("SHOW COLUMNS FROM {table} WHERE Extra LIKE '%auto_increment%'"))?;
        let Some(Some(column)) = rows.into_iter().next().and_then(|row| row.into_iter().next()) else {
            return Ok(None);
        };
        if columns.contains(&column.as_str()) {
            return Ok(None);
        }
        let name = quoted(&column);
        let first = number(exchange, &format!("SELECT COALESCE(MAX({name}), 0) + 1 FROM {table}"))?;
        Ok(Some(Self { column, first }))
    }
}

fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

fn number(exchange: &mut Exchange, sql: &str) -> Outcome<u64> {
    let rows = exchange.query(sql)?;
    let value = rows.first().and_then(|row| row.first()?.as_deref()?.parse().ok());
    value.ok_or_else(|| Fault::crash(format!("no number in the answer to `{sql}`")))
}

/// Leave to send local files, where the server did not give it by itself. A later chunk can be refused if
/// another session gave it back meanwhile; it is then loaded by INSERT.
struct Permission {
    asked: bool,
    granted: bool,
}

impl Permission {
    /// Asks once; false when there is none to be had.
    fn ask(&mut self, exchange: &mut Exchange) -> bool {
        let first = !self.asked;
        self.asked = true;
        let granted = first && exchange.query("SET GLOBAL local_infile = 1").is_ok();
        self.granted |= granted;
        granted
    }

    fn give_back(self, exchange: &mut Exchange) -> Outcome<()> {
        if self.granted { exchange.query("SET GLOBAL local_infile = 0").map(drop) } else { Ok(()) }
    }
}

fn load_chunks(
    exchange: &mut Exchange,
    into: &Into<'_>,
    feed: &mut Feed<'_>,
    permission: &mut Permission,
) -> Outcome<u64> {
    let mut loaded = 0;
    while feed.peek().is_some() {
        match load_file(exchange, into, feed)? {
            Some(rows) => loaded += rows,
            None if permission.ask(exchange) => {}
            None => return insert_all(exchange, into, feed).map(|rows| loaded + rows),
        }
    }
    Ok(loaded)
}

/// One chunk as a file; `None` when the server takes none.
fn load_file(exchange: &mut Exchange, into: &Into<'_>, feed: &mut Feed<'_>) -> Outcome<Option<u64>> {
    let Into { table, columns, characters } = into;
    exchange.send_text(&format!(
        "LOAD DATA LOCAL INFILE 'rows' INTO TABLE {table} CHARACTER SET {characters} \
         FIELDS TERMINATED BY '\\t' ESCAPED BY '\\\\' LINES TERMINATED BY '\\n' ({columns})"
    ))?;
    match exchange.wire.reply()? {
        Reply::SendFile => {}
        Reply::Failed(error) if NO_LOCAL_FILES.contains(&error.code) => return Ok(None),
        Reply::Failed(error) => return Err(error.fault()),
        Reply::Done(_) | Reply::Rows(_) => {
            exchange.wire.give_up();
            return Err(Fault::crash("the server did not ask for the rows of a LOAD DATA LOCAL"));
        }
    }
    let sent = send_chunk(exchange, feed)?;
    let done = exchange.wire.finish()?;
    if done.changed != sent || done.warnings > 0 {
        return Err(complaint(exchange, sent, done.changed));
    }
    Ok(Some(sent))
}

/// Sends up to `CHUNK_BYTES` of rows; returns how many rows that was.
fn send_chunk(exchange: &mut Exchange, feed: &mut Feed<'_>) -> Outcome<u64> {
    let mut piece = Vec::with_capacity(PIECE_BYTES + 4096);
    let (mut rows, mut bytes) = (0, 0);
    while bytes < CHUNK_BYTES && feed.peek().is_some() {
        piece.clear();
        piece.extend_from_slice(&[0; HEADER_BYTES]);
        while piece.len() < PIECE_BYTES
            && let Some(line) = feed.peek()
        {
            piece.extend_from_slice(line);
            piece.push(b'\n');
            feed.take();
            rows += 1;
        }
        bytes += piece.len();
        exchange.wire.answer(&mut piece)?;
    }
    exchange.wire.answer(&mut [0; HEADER_BYTES])?; // an empty packet: the file's end
    Ok(rows)
}

/// A LOCAL file's faulty rows are bent until they fit, or left out, with a warning.
fn complaint(exchange: &mut Exchange, sent: u64, taken: u64) -> Fault {
    let rows = exchange.query("SHOW WARNINGS LIMIT 3").unwrap_or_default();
    let words: Vec<String> = rows.into_iter().filter_map(|row| row.into_iter().nth(2)?).collect();
    Fault::environment(format!("the server took {taken} of {sent} rows and warned: {}", words.join("; ")))
}

/// The rest of the rows in INSERTs, each a transaction.
fn insert_all(exchange: &mut Exchange, into: &Into<'_>, feed: &mut Feed<'_>) -> Outcome<u64> {
    let packet_bytes = number(exchange, "SELECT @@max_allowed_packet")?;
    let bytes = usize::try_from(packet_bytes).unwrap_or(usize::MAX).min(INSERT_BYTES_MAX);
    let head = format!("INSERT INTO {} ({}) VALUES ", into.table, into.columns);
    let (mut loaded, mut row) = (0, String::new());
    while feed.peek().is_some() {
        let (mut sql, mut rows) = (head.clone(), 0);
        while let Some(line) = feed.peek() {
            row.clear();
            push_values(line, &mut row);
            // One byte for the command, one for a comma.
            if rows > 0 && sql.len() + row.len() + 2 > bytes {
                break;
            }
            sql.push_str(if rows > 0 { "," } else { "" });
            sql.push_str(&row);
            feed.take();
            rows += 1;
        }
        let inserted = exchange.run_text(&sql)?;
        if inserted != rows {
            return Err(complaint(exchange, rows, inserted));
        }
        loaded += rows;
    }
    Ok(loaded)
}

/// A row's values as an INSERT has them. Backslashes mean the same in both.
fn push_values(line: &[u8], sql: &mut String) {
    let line = String::from_utf8_lossy(line);
    sql.push('(');
    for (number, value) in line.split('\t').enumerate() {
        sql.push_str(if number > 0 { "," } else { "" });
        if value == "\\N" {
            sql.push_str("NULL");
            continue;
        }
        sql.push('\'');
        for piece in value.split_inclusive('\'') {
            sql.push_str(piece);
            if piece.ends_with('\'') {
                sql.push('\'');
            }
        }
        sql.push('\'');
    }
    sql.push(')');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_quoted() {
        let mut sql = String::new();
        push_values(b"1\tit's\t\t''", &mut sql);
        assert_eq!(sql, "('1','it''s','','''''')");
        assert_eq!(quoted("a`b"), "`a``b`");
    }
}
