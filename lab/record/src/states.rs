//! Appending and reading fingerprints and debts.

use humdrum_model::{Contents, Debt, Fault, StateFacts};
use rusqlite::{Result, Row, params};

use crate::json::{from_json, signed, to_json, unsigned};
use crate::store::Store;

impl Store {
    /// Appends a fingerprint.
    ///
    /// # Errors
    /// Environment: full disk.
    pub fn append_state(&mut self, state: &StateFacts) -> std::result::Result<(), Fault> {
        self.append(|transaction| {
            let StateFacts { test, session, subject, moment, contents, quantities } = state;
            let sql = "INSERT INTO state (test, session, subject, moment, rows, checksum, quantities) \
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
            let rows = contents.as_ref().map(|contents| signed(contents.rows));
            let checksum = contents.as_ref().map(|contents| &contents.checksum);
            let (subject, moment, quantities) = (*subject as i64, to_json(moment)?, to_json(quantities)?);
            let row = params![test, session, subject, moment, rows, checksum, quantities];
            transaction.prepare_cached(sql)?.execute(row).map(|_| ())
        })
    }

    /// Appends a debt.
    ///
    /// # Errors
    /// Environment: full disk.
    pub fn append_debt(&mut self, debt: &Debt) -> std::result::Result<(), Fault> {
        self.append(|transaction| {
            let Debt { test, session, subject, operations, wall_ns, readings } = debt;
            let sql = "INSERT INTO debt (test, session, subject, operations, wall_ns, readings) \
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            let (subject, operations) = (*subject as i64, signed(*operations));
            let row = params![test, session, subject, operations, signed(*wall_ns), to_json(readings)?];
            transaction.prepare_cached(sql)?.execute(row).map(|_| ())
        })
    }
}

pub(crate) fn state(row: &Row<'_>) -> Result<StateFacts> {
    let rows: Option<i64> = row.get("rows")?;
    let checksum: Option<String> = row.get("checksum")?;
    let contents = rows.zip(checksum).map(|(rows, checksum)| Contents { rows: unsigned(rows), checksum });
    Ok(StateFacts {
        test: row.get("test")?,
        session: row.get("session")?,
        subject: unsigned(row.get("subject")?) as usize,
        moment: from_json(row.get_ref("moment")?.as_str()?)?,
        contents,
        quantities: from_json(row.get_ref("quantities")?.as_str()?)?,
    })
}

pub(crate) fn debt(row: &Row<'_>) -> Result<Debt> {
    Ok(Debt {
        test: row.get("test")?,
        session: row.get("session")?,
        subject: unsigned(row.get("subject")?) as usize,
        operations: unsigned(row.get("operations")?),
        wall_ns: unsigned(row.get("wall_ns")?),
        readings: from_json(row.get_ref("readings")?.as_str()?)?,
    })
}
