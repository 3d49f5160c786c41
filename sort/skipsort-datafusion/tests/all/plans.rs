//! Where the rule puts its operator, and what EXPLAIN ANALYZE says of it.

use std::sync::Arc;

use datafusion::arrow::array::{Int64Array, RecordBatch, StringArray};
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::prelude::{SessionConfig, SessionContext};
use skipsort_datafusion::WithSkipSort;

async fn session() -> SessionContext {
    let config = SessionConfig::new()
        .with_target_partitions(2)
        .set_bool("datafusion.optimizer.prefer_hash_join", false);
    let session = SessionContext::new_with_config(config).with_skipsort(Default::default());
    let names: StringArray = (0..50_000).map(|n| Some(format!("name {}", n * 7919 % 50_000))).collect();
    let numbers = Int64Array::from_iter_values(0..50_000);
    let batch = RecordBatch::try_from_iter([("name", Arc::new(names) as _), ("n", Arc::new(numbers) as _)]);
    session.register_batch("t", batch.unwrap()).unwrap();
    session
}

async fn explained(sql: &str) -> String {
    let batches = session().await.sql(sql).await.unwrap().collect().await.unwrap();
    pretty_format_batches(&batches).unwrap().to_string()
}

#[tokio::test]
async fn every_sort_of_a_plan_is_replaced() {
    for sql in [
        "EXPLAIN SELECT * FROM t ORDER BY name",
        "EXPLAIN SELECT * FROM t ORDER BY name LIMIT 10",
        "EXPLAIN SELECT row_number() OVER (PARTITION BY n ORDER BY name) FROM t",
        "EXPLAIN SELECT * FROM t JOIN t AS u ON t.name = u.name",
    ] {
        let plan = explained(sql).await;
        assert!(plan.contains("SkipSortExec:"), "{sql}\n{plan}");
        assert!(!plan.replace("SkipSortExec:", "").contains("SortExec:"), "{sql}\n{plan}");
    }
}

#[tokio::test]
async fn explain_analyze_has_the_metrics() {
    let plan = explained("EXPLAIN ANALYZE SELECT * FROM t ORDER BY name").await;
    let line = plan.lines().find(|line| line.contains("SkipSortExec:")).unwrap();
    for metric in [
        "output_rows=50.00 K",
        "time_to_first_row=",
        "spill_count=0",
        "spilled_bytes=0.0 B",
        "elapsed_compute=",
    ] {
        assert!(line.contains(metric), "{metric}: {line}");
    }
}
