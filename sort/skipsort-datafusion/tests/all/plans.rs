//! Where the rule puts its operator, and what EXPLAIN ANALYZE says of it.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch, StringArray, StructArray};
use datafusion::arrow::datatypes::{DataType, Field, Int64Type};
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::datasource::MemTable;
use datafusion::prelude::{SessionConfig, SessionContext};
use skipsort_datafusion::WithSkipSort;

async fn session() -> SessionContext {
    plain_session().await.with_skipsort(Default::default())
}

async fn plain_session() -> SessionContext {
    let config = SessionConfig::new()
        .with_target_partitions(2)
        .set_bool("datafusion.optimizer.prefer_hash_join", false);
    let session = SessionContext::new_with_config(config);
    let names: StringArray = (0..50_000).map(|n| Some(format!("name {}", n * 7919 % 50_000))).collect();
    let numbers = Int64Array::from_iter_values(0..50_000);
    let batch = RecordBatch::try_from_iter([("name", Arc::new(names) as _), ("n", Arc::new(numbers) as _)]);
    let batch = batch.unwrap();
    session.register_batch("t", batch.clone()).unwrap();
    let parts = [0, 25_000].map(|from| vec![batch.slice(from, 25_000)]);
    session
        .register_table("parts", Arc::new(MemTable::try_new(batch.schema(), parts.into()).unwrap()))
        .unwrap();
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
        assert_eq!(plan.contains("SortMergeJoin"), sql.contains("JOIN"), "{sql}\n{plan}");
    }
}

/// Over a sort of each partition, and two below a merge join.
#[tokio::test]
async fn windows_and_merge_joins_answer_as_without_the_rule() {
    let (with, without) = (session().await, plain_session().await);
    for sql in [
        "SELECT n, row_number() OVER (PARTITION BY n % 7 ORDER BY name DESC) AS place FROM parts",
        "SELECT t.n, u.n AS other FROM parts AS t JOIN t AS u ON t.name = u.name AND t.n % 3 = 0",
        "SELECT name, n + 1 AS next FROM parts ORDER BY -n, name OFFSET 100",
    ] {
        let mut answers = Vec::new();
        for session in [&with, &without] {
            let batches = session.sql(sql).await.unwrap().collect().await.unwrap();
            let shown = pretty_format_batches(&batches).unwrap().to_string();
            let mut lines: Vec<String> = shown.lines().map(String::from).collect();
            if !sql.contains("ORDER BY -n") {
                lines.sort_unstable();
            }
            answers.push(lines);
        }
        assert!(answers[0].len() > 10_000 && answers[0] == answers[1], "{sql}");
    }
}

/// arrow-row does not give such a column back as it was, wherever it is.
#[tokio::test]
async fn a_map_among_the_columns_leaves_the_sort_as_it_is() {
    let session = session().await;
    let sql = "SELECT name, map(['n'], [n]) AS of FROM t ORDER BY name";
    let plan = session.sql(sql).await.unwrap().create_physical_plan().await.unwrap();
    let shown = datafusion::physical_plan::displayable(plan.as_ref()).indent(false).to_string();
    let batches = session.sql(&format!("SELECT * FROM ({sql}) LIMIT 3")).await.unwrap().collect().await;
    assert_eq!(batches.unwrap().iter().map(RecordBatch::num_rows).sum::<usize>(), 3);
    // What is below the projection that makes the map is sorted by this crate.
    let over_map = session.sql(&format!("CREATE TABLE maps AS {sql}")).await.unwrap().collect().await;
    over_map.unwrap();
    let plan = session.sql("SELECT * FROM maps ORDER BY name DESC").await.unwrap();
    let plan = plan.create_physical_plan().await.unwrap();
    let stays = datafusion::physical_plan::displayable(plan.as_ref()).indent(false).to_string();
    assert!(
        shown.contains("SortExec") && stays.contains("SortExec: ") && !stays.contains("SkipSortExec"),
        "{stays}"
    );
}

#[tokio::test]
async fn partitions_that_would_be_merged_are_sorted_at_once() {
    for tail in ["", " LIMIT 20000"] {
        let plan = explained(&format!("EXPLAIN SELECT * FROM parts ORDER BY name{tail}")).await;
        assert!(plan.contains("SkipSortPreservingMergeExec: [name"), "{plan}");
    }
    let twice = session().await.with_skipsort(Default::default());
    let plan =
        twice.sql("SELECT * FROM parts ORDER BY name").await.unwrap().create_physical_plan().await.unwrap();
    let shown = datafusion::physical_plan::displayable(plan.as_ref()).indent(false).to_string();
    assert!(
        shown.starts_with("SkipSortPreservingMergeExec"),
        "a rule that runs twice changes nothing: {shown}"
    );
    // A small limit is DataFusion's, and so is the merge of what it leaves.
    let plan = explained("EXPLAIN SELECT * FROM parts ORDER BY name LIMIT 10").await;
    assert!(plan.contains(" SortPreservingMergeExec: [name"), "{plan}");
    let query = "SELECT count(*), min(n), max(n) FROM (SELECT n FROM parts ORDER BY name LIMIT 20000)";
    let all = explained(query).await;
    assert!(all.contains("| 20000 "), "{all}");
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

/// Of a sort of several partitions, what is spilled and merged is in one line, and what leaves in the other.
#[tokio::test]
async fn explain_analyze_has_the_metrics_of_several_partitions() {
    let plan = explained("EXPLAIN ANALYZE SELECT * FROM parts ORDER BY name").await;
    let line = |operator: &str| plan.lines().find(|line| line.contains(operator)).expect(operator);
    let rows =
        |line: &str| line.split("output_rows=").nth(1).expect("rows").split(',').next().unwrap().to_owned();
    assert_eq!(rows(line("SkipSortPreservingMergeExec:")), rows(line(" SkipSortExec:")), "{plan}");
    assert_ne!(rows(line(" SkipSortExec:")), "0", "{plan}");
    assert!(line(" SkipSortExec:").contains("time_to_first_row="), "{plan}");
}

/// A process that reads a plan may know nothing of the operator.
#[cfg(feature = "proto")]
#[tokio::test]
async fn a_plan_that_is_sent_has_datafusions_merge() {
    use datafusion::physical_plan::{collect, displayable};
    use datafusion_proto::bytes::{
        physical_plan_from_bytes_with_extension_codec, physical_plan_to_bytes_with_extension_codec,
    };

    let (session, codec) = (session().await, skipsort_datafusion::SkipSortCodec::default());
    let query = session.sql("SELECT n FROM (SELECT n + 1 AS n FROM parts) ORDER BY n").await.unwrap();
    let plan = query.create_physical_plan().await.unwrap();
    let shown = |plan: &Arc<dyn datafusion::physical_plan::ExecutionPlan>| {
        displayable(plan.as_ref()).indent(false).to_string()
    };
    assert!(shown(&plan).contains("SkipSortPreservingMergeExec"), "{}", shown(&plan));
    let bytes = physical_plan_to_bytes_with_extension_codec(Arc::clone(&plan), &codec).unwrap();
    let read = physical_plan_from_bytes_with_extension_codec(&bytes, &session.task_ctx(), &codec).unwrap();
    assert!(shown(&read).contains(" SkipSortExec") && shown(&read).starts_with("SortPreservingMergeExec"));
    let [kept, read] = [plan, read].map(|plan| collect(plan, session.task_ctx()));
    assert_eq!(kept.await.unwrap(), read.await.unwrap());
}

/// DataFusion's TopK (55.2) skips rows by a filter that does not know where the order has nulls inside of a struct.
#[tokio::test]
async fn a_top_k_of_nested_keys_leaves_no_row_out() {
    let session = session().await;
    let batch = |from: i64| {
        let numbers =
            Int64Array::from_iter((from..from + 1_000).map(|n| (n < 1_000 || n % 2 == 0).then_some(n)));
        let field = Arc::new(Field::new("a", DataType::Int64, true));
        let key = StructArray::from(vec![(field, Arc::new(numbers) as ArrayRef)]);
        RecordBatch::try_from_iter([("key", Arc::new(key) as ArrayRef)]).unwrap()
    };
    let batches: Vec<RecordBatch> = (0..4).map(|number| batch(1_000 * number)).collect();
    let table = MemTable::try_new(batches[0].schema(), vec![batches]).unwrap();
    session.register_table("keys", Arc::new(table)).unwrap();
    let query = "SELECT count(*) FROM (SELECT * FROM keys ORDER BY key DESC NULLS FIRST LIMIT 30) WHERE key['a'] IS NULL";
    let batches = session.sql(query).await.unwrap().collect().await.unwrap();
    assert_eq!(batches[0].column(0).as_primitive::<Int64Type>().values(), &[30]);
}
