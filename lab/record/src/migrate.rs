//! The schema's number, and the steps from each number to the next.

use rusqlite::Connection;

/// The schema that this program writes.
pub const SCHEMA: i32 = 10;

/// Marks a file as a results file: "humd". The command `file` shows it too.
pub(crate) const APPLICATION_ID: i32 = 0x6875_6d64;

/// The newest schema, for new files.
pub(crate) const SCHEMA_SQL: &str = include_str!("schema.sql");

/// Step `n` leads from schema `n + 1` to `n + 2`. A step, once released, is never edited.
pub(crate) const STEPS: &[&str] = &[
    include_str!("step_2.sql"),
    include_str!("step_3.sql"),
    include_str!("step_4.sql"),
    include_str!("step_5.sql"),
    include_str!("step_6.sql"),
    include_str!("step_7.sql"),
    include_str!("step_8.sql"),
    include_str!("step_9.sql"),
    include_str!("step_10.sql"),
];

/// Writes the schema into a new, empty file.
pub(crate) fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    transaction.execute_batch(SCHEMA_SQL)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", SCHEMA)?;
    transaction.commit()
}

/// Brings a file from schema `from` up to date, all steps or none.
pub(crate) fn migrate(connection: &mut Connection, from: i32, steps: &[&str]) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    for (number, step) in (1..).zip(steps).skip_while(|(number, _)| *number < from) {
        transaction.execute_batch(step)?;
        transaction.pragma_update(None, "user_version", number + 1)?;
    }
    transaction.commit()
}

/// The schema of a file. `None` if it is not a results file.
pub(crate) fn schema_of(connection: &Connection) -> rusqlite::Result<Option<i32>> {
    let id: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let schema: i32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    Ok((id == APPLICATION_ID && schema > 0).then_some(schema))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_for_every_older_schema() {
        assert_eq!(STEPS.len() as i32, SCHEMA - 1);
    }

    /// A file of schema 1.
    fn first() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        connection.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
        connection.pragma_update(None, "user_version", 1).unwrap();
        connection
    }

    #[test]
    fn steps_run_from_the_files_own_schema_on() {
        let mut connection = first();
        let steps = ["CREATE TABLE two (x)", "CREATE TABLE three (x)"];
        connection.execute_batch("CREATE TABLE two (x); PRAGMA user_version = 2").unwrap();
        migrate(&mut connection, 2, &steps).unwrap();
        assert_eq!(schema_of(&connection).unwrap(), Some(3));
        connection.execute_batch("SELECT x FROM three").unwrap();
    }

    #[test]
    fn a_failing_step_leaves_the_file_as_it_was() {
        let mut connection = first();
        assert!(migrate(&mut connection, 1, &["CREATE TABLE two (x)", "nonsense"]).is_err());
        assert_eq!(schema_of(&connection).unwrap(), Some(1));
        assert!(connection.execute_batch("SELECT x FROM two").is_err());
    }

    /// Name, type and whether it may be NULL, of every column of every table and view.
    fn columns(connection: &Connection) -> Vec<(String, String, String, bool)> {
        let sql = "SELECT m.name, c.name, c.type, c.\"notnull\" FROM sqlite_schema AS m \
                   JOIN pragma_table_info(m.name) AS c WHERE m.type IN ('table', 'view') ORDER BY m.name, c.cid";
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)));
        rows.unwrap().collect::<rusqlite::Result<_>>().unwrap()
    }

    #[test]
    fn the_first_schema_becomes_the_newest() {
        let mut old = first();
        old.execute_batch(include_str!("../tests/schema_1.sql")).unwrap();
        migrate(&mut old, 1, STEPS).unwrap();
        let mut new = Connection::open_in_memory().unwrap();
        create(&mut new).unwrap();
        assert_eq!(columns(&old), columns(&new));
        assert_eq!(schema_of(&old).unwrap(), Some(SCHEMA));
    }

    #[test]
    fn a_file_of_others_has_no_schema() {
        let connection = Connection::open_in_memory().unwrap();
        assert_eq!(schema_of(&connection).unwrap(), None);
    }
}
