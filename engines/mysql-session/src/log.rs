//! The size of a server's redo and binary log. Each has one or more files, and no release reports the size in
//! one place.

use humdrum_contract::{Gauge, Question, TextRows};

/// Redo log and binary log; quantities of one name are added up.
pub(crate) fn gauges() -> Vec<Gauge> {
    let of = |sql: &str, number| Gauge {
        name: "log_bytes",
        unit: "bytes",
        description: "size of the files of the redo log and the binary log",
        question: Question { sql: sql.into(), number },
    };
    vec![of(REDO, redo_bytes), of(BINARY, binary_bytes)]
}

/// Its files are made before they are needed, so that their size is what was set. The capacity is MySQL's since 8.0.30; the
/// others go by a size of each file. MariaDB 10.6 and later have one.
const REDO: &str = "SHOW GLOBAL VARIABLES WHERE Variable_name IN \
    ('innodb_redo_log_capacity', 'innodb_log_file_size', 'innodb_log_files_in_group')";

/// Without a binary log the statement is an error, and so it is only prepared where there is one.
const BINARY: &str = "SET @humdrum_log = IF(@@GLOBAL.log_bin, 'SHOW BINARY LOGS', 'DO 0'); \
    PREPARE humdrum_log FROM @humdrum_log; EXECUTE humdrum_log; DEALLOCATE PREPARE humdrum_log";

/// Rows are name and value.
fn redo_bytes(rows: &TextRows) -> Option<f64> {
    let of = |name: &str| {
        let row = rows.iter().find(|row| row.first().is_some_and(|found| found.as_deref() == Some(name)))?;
        row.get(1)?.as_deref()?.parse::<f64>().ok()
    };
    let by_file = || Some(of("innodb_log_file_size")? * of("innodb_log_files_in_group").unwrap_or(1.0));
    of("innodb_redo_log_capacity").or_else(by_file)
}

/// Rows are a file's name, its size, and more in later releases.
fn binary_bytes(rows: &TextRows) -> Option<f64> {
    rows.iter().map(|row| row.get(1)?.as_deref()?.parse::<f64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(all: &[&[&str]]) -> Vec<Vec<Option<String>>> {
        let row = |row: &&[&str]| row.iter().map(|value| Some((*value).to_owned())).collect();
        all.iter().map(row).collect()
    }

    #[test]
    fn redo_is_found_in_every_releases_variables() {
        let (size, two) = (["innodb_log_file_size", "1000"], ["innodb_log_files_in_group", "2"]);
        let capacity = ["innodb_redo_log_capacity", "700"];
        assert_eq!(redo_bytes(&rows(&[&size, &two])), Some(2000.0), "MySQL until 8.0.29, MariaDB until 10.5");
        assert_eq!(redo_bytes(&rows(&[&size])), Some(1000.0), "MariaDB from 10.6 on");
        assert_eq!(redo_bytes(&rows(&[&size, &two, &capacity])), Some(700.0), "MySQL from 8.0.30 on");
        assert_eq!(redo_bytes(&rows(&[&capacity])), Some(700.0));
        assert_eq!(redo_bytes(&[]), None);
    }

    #[test]
    fn all_files_of_the_binary_log_count_and_none_where_there_is_no_log() {
        let files: [&[&str]; 2] = [&["binlog.000001", "150", "No"], &["binlog.000002", "20", "No"]];
        assert_eq!(binary_bytes(&rows(&files)), Some(170.0));
        assert_eq!(binary_bytes(&[]), Some(0.0));
        assert_eq!(binary_bytes(&rows(&[&["binlog.000001"]])), None);
    }

    #[test]
    fn redo_and_binary_log_are_one_quantity() {
        let names: Vec<&str> = gauges().iter().map(|gauge| gauge.name).collect();
        assert_eq!(names, ["log_bytes"; 2]);
        // What a session is asked to prepare is taken back.
        assert_eq!(BINARY.matches("PREPARE humdrum_log").count(), 2);
    }
}
