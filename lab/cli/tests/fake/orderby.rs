//! Ordered queries: what is refused before anything is fetched, and a comparison of real engines on request.

use crate::common::{Humdrum, field, text_of};

fn refused(lab: &Humdrum, line: &str) -> String {
    let arguments: Vec<&str> = line.split_ascii_whitespace().collect();
    text_of(&lab.exits(2, &arguments).stderr)
}

#[test]
fn an_ordered_query_runs_on_no_other_engine_and_its_engines_run_no_other_suite() {
    let lab = Humdrum::new();
    let sql = refused(&lab, "compare duckdb@1.4 duckdb@1.5 --dry-run");
    assert!(sql.contains("SQL") && sql.contains("ordered queries"), "{sql}");
    let keys = refused(&lab, "compare fake@1.0 fake@1.1 --suite orderby --dry-run");
    assert!(keys.contains("orderby runs on: datafusion, duckdb"), "{keys}");
    let tables = refused(&lab, "compare duckdb@1.4 duckdb@1.5 --suite orderby --scale tables=2 --dry-run");
    assert!(tables.contains("one table"), "{tables}");
}

#[test]
fn subjects_that_are_none_are_refused_with_what_to_type() {
    let lab = Humdrum::new();
    let of =
        |subject: &str| refused(&lab, &format!("compare duckdb@1.5.6 {subject} --suite orderby --dry-run"));
    assert!(of("duckdb@0.9").contains("1.5.6"), "releases of the catalogue");
    assert!(of("duckdb@/no/such/libduckdb.so").contains("name a libduckdb.so"));
    assert!(of("duckdb@1.5+temp_directory=/tmp").contains("own folder"));
    assert!(of("datafusion@/no/such/worker").contains("cargo xtask datafusion worker"));
    assert!(of("datafusion@55+batch_size=1").contains("datafusion.execution.batch_size"));
}

#[test]
fn a_plan_of_two_releases_needs_no_network() {
    let lab = Humdrum::new();
    let arguments = "compare duckdb@1.4 duckdb@1.5 --suite orderby --scale tiny --budget 5m --dry-run";
    let arguments: Vec<&str> = arguments.split_ascii_whitespace().collect();
    let told = text_of(&lab.exits(0, &arguments).stdout);
    assert!(told.contains("first-row") && told.contains("spill"), "{told}");
}

/// `HUMDRUM_ORDERBY=duckdb@1.5.6,datafusion@55` names others.
#[test]
#[ignore = "npm fetches two releases, 46 MB"]
fn real_engines_take_turns_and_give_the_same_answers() {
    let lab = Humdrum::with_shared_builds();
    let named = std::env::var("HUMDRUM_ORDERBY").unwrap_or_else(|_| "duckdb@1.4.5,duckdb@1.5.6".to_owned());
    let tests = "--suite orderby --scale tiny --budget 120s --sessions 4";
    let arguments: Vec<&str> = named.split(',').chain(tests.split_ascii_whitespace()).collect();
    let (code, summary, complaint) = lab.compare("out", &arguments);
    assert!(matches!(code, 0 | 1), "{complaint}");
    let status = field(&summary, "status");
    assert_eq!(status.len(), 7, "{status:?}");
    for (test, status) in status {
        assert!(matches!(status.as_str(), Some("ok" | "not-steady")), "{test}: {status}\n{complaint}");
    }
    for (test, cost) in field(&summary, "cost") {
        let own = cost["server_cpu_us"]["base"].as_f64().unwrap_or_default();
        assert!(own > 0.1, "{test} is charged to the thread that sorts: {cost:#}");
    }
}
