//! Archives that pg_dump 15 wrote hold what its plain dump of the same database holds (`tests/dumps`: shop.sql and, by
//! `-Fc`, `-Fc -Z0` and `-Fc --inserts`, the others); those of pg_dump 18 (`--statistics`) likewise.

use std::path::PathBuf;

use super::super::entry::{is_setting, sets_statistics, statement_is_left_out};
use super::super::{OnRefused, open, parts, survey};
use super::*;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/dumps").join(name)
}

/// Statements that are sent, and rows.
fn read(name: &str) -> Vec<String> {
    let mut parts = parts(open::open(&path(name), false).expect("opens")).expect("begins");
    let mut all = Vec::new();
    while let Some(item) = parts.next().expect("read") {
        match item {
            Item::Sql { text, .. } => all.push(String::from_utf8(text).expect("UTF-8")),
            Item::Rows { table, columns, .. } => {
                all.push(format!("COPY {table} ({columns})"));
                let mut row = Vec::new();
                while parts.row(&mut row).expect("read") {
                    all.push(String::from_utf8(std::mem::take(&mut row)).expect("UTF-8"));
                }
            }
        }
    }
    all.retain(|sql| !statement_is_left_out(sql) && !is_setting(sql) && !sql.contains("set_config"));
    all
}

#[test]
fn archives_hold_what_the_plain_dump_holds() {
    let plain = read("shop.sql");
    assert!(plain.len() > 150 && plain.contains(&"CREATE SCHEMA app".to_owned()));
    assert!(read("shop.sql.zst") == plain);
    for archive in ["shop.dump", "shop-plain.dump"] {
        let found = read(archive);
        let differs = plain.iter().zip(&found).find(|(left, right)| left != right);
        assert_eq!((differs, found.len()), (None, plain.len()), "{archive}");
    }
    // One of the archive's parts holds several statements.
    let of = |name: &str| {
        read(name).into_iter().filter(|sql| sets_statistics(sql)).collect::<Vec<_>>().join(";\n\n")
    };
    let told = |name: &str| of(name).split_ascii_whitespace().collect::<String>();
    assert_eq!(told("statistics.sql"), told("statistics.dump"));
    assert_eq!(of("statistics.sql").matches("pg_restore_attribute_stats").count(), 8);
    let inserts = read("shop-inserts.dump");
    assert_eq!(inserts.iter().filter(|sql| sql.starts_with("INSERT INTO ")).count(), 140);
}

#[test]
fn a_survey_counts_rows_and_refuses_an_archive_that_is_cut_off_anywhere() {
    let survey = |path: &std::path::Path| {
        survey(path, OnRefused::Stop, &humdrum_contract::Silent, &humdrum_contract::Interrupt::new())
    };
    let found = survey(&path("shop.dump")).expect("whole");
    assert_eq!((found.rows, found.sha256.len(), found.statistics), (140, 64, 0));
    assert_eq!(survey(&path("statistics.sql")).expect("whole").statistics, 13);
    assert!(survey(&path("statistics.dump")).expect("whole").statistics > 0);
    for name in ["shop.dump", "shop-plain.dump", "shop-inserts.dump"] {
        let whole = std::fs::read(path(name)).expect("read");
        for end in (11..whole.len()).step_by(61) {
            let file = tempfile::NamedTempFile::new().expect("a file");
            std::fs::write(file.path(), &whole[..end]).expect("written");
            let fault = survey(file.path()).expect_err("cut off");
            assert!(
                fault.exit_code() == 2 && fault.what.contains("cut off or damaged"),
                "{name} {end}: {fault}"
            );
        }
    }
}
