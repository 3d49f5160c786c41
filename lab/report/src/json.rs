//! `summary.json`: exactly the serialised `Summary`. Scripts rely on this shape; a new shape
//! needs a new `schema` number.

use humdrum_model::Summary;

/// The summary as indented JSON with a final line feed. A number that is not finite is `null`, because JSON cannot
/// express it.
pub fn json(summary: &Summary) -> String {
    // Serialising plain data into memory cannot fail: all keys are strings and nothing is read or written.
    let mut text = serde_json::to_string_pretty(summary).expect("a summary is plain data with text keys");
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::fixture;

    #[test]
    fn has_every_promised_field() {
        let (summary, ..) = fixture::run();
        let value: Value = serde_json::from_str(&json(&summary)).unwrap();
        for field in ["schema", "tool", "suite", "seed", "mode", "host", "base", "comparisons"] {
            assert!(!value[field].is_null(), "{field}");
        }
        for field in ["cpus", "memory_bytes", "kernel", "cpu_model", "fsync_us_p50", "virtual"] {
            assert!(!value["host"][field].is_null(), "host.{field}");
        }
        let test = &value["comparisons"][0]["tests"][0];
        for field in [
            "test",
            "group",
            "operation",
            "status",
            "verdict",
            "rqps",
            "ci95",
            "p_adjusted",
            "minimum_detectable",
            "blocks",
            "blocks_discarded",
            "sessions",
            "seconds",
            "base_qps",
            "qps",
            "latency_us",
            "cost",
            "notes",
        ] {
            assert!(!test[field].is_null(), "{field}");
        }
        for field in ["p50", "p95", "p99", "p99_9", "max"] {
            assert!(
                test["latency_us"]["base"][field].is_number()
                    && test["latency_us"]["subject"][field].is_number()
            );
        }
        for field in ["base", "subject", "ratio", "ci95"] {
            assert!(!test["cost"]["server_cpu_us"][field].is_null(), "cost.{field}");
        }
        assert_eq!((&value["mode"], &test["verdict"]), (&"interleaved".into(), &"improvement".into()));
    }

    #[test]
    fn what_is_not_finite_is_null_and_the_rest_is_read_back() {
        let (mut summary, ..) = fixture::run();
        summary.comparisons[0].tests[0].rqps = Some(f64::NAN);
        summary.comparisons[0].tests[0].ci95 = Some([f64::NEG_INFINITY, f64::INFINITY]);
        let value: Value = serde_json::from_str(&json(&summary)).unwrap();
        let test = &value["comparisons"][0]["tests"][0];
        assert!(test["rqps"].is_null() && test["ci95"] == serde_json::json!([null, null]));
        let (clean, ..) = fixture::run();
        assert_eq!(serde_json::from_str::<Summary>(&json(&clean)).unwrap(), clean);
    }

    #[test]
    fn one_test_looks_like_this() {
        let (mut summary, ..) = fixture::run();
        summary.comparisons[0].tests.truncate(1);
        insta::assert_snapshot!(json(&summary));
    }
}
