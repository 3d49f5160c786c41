//! `humdrum beside`, on a recorded table and on files that are none.

use std::path::Path;

use crate::common::{Humdrum, text_of};

const PUBLISHED: &str = "published/mysql-5.6-to-9.7-sysbench-small-server--base-5.6.51--point.tsv";

#[test]
fn a_recorded_table_beside_a_published_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let lab = Humdrum::new();
    let measured = root.join("records/2026-11-22-epyc-vm-2-cores/mysql-today.tsv").display().to_string();
    let published = root.join(PUBLISHED).display().to_string();
    let arguments = ["beside", &format!("zen4={measured}"), "--published", &published, "--format", "json"];
    let output = lab.command(&arguments).output().expect("humdrum starts");
    assert!(output.status.success(), "{}", text_of(&output.stderr));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let rows = found["rows"].as_array().expect("rows");
    let row = rows
        .iter()
        .find(|row| row["published"]["test"] == "hot-points" && row["published"]["subject"] == "8.0.45");
    let row = row.expect("hot-points of 8.0");
    assert_eq!(
        (row["agreement"].as_str(), row["other_release"].as_bool()),
        (Some("agrees"), Some(true)),
        "{row:#}"
    );
    assert_eq!(row["measured"][0]["subject"], "8.0.33");
    assert_eq!((row["why"].is_null(), row["this_host"] == row["intervals"]), (true, true), "{row:#}");
    let absent = rows.iter().find(|row| row["published"]["subject"] == "5.7.44").expect("5.7");
    assert_eq!((&absent["agreement"], &absent["why"]), (&"not-comparable".into(), &"other-release".into()));
    let newest = rows.iter().find(|row| row["published"]["subject"] == "9.7.0").expect("9.7");
    assert_eq!(newest["measured"][0]["subject"], "9.7", "the newest of a series stands for its releases");
}

/// Without a publication, the first host's results take its place.
#[test]
fn two_hosts_of_ours_beside_each_other() {
    let records = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../records");
    let table = |name: &str, folder: &str| {
        format!("{name}={}", records.join(folder).join("first-command.tsv").display())
    };
    let (zen4, zen5) =
        (table("zen4", "2026-11-24-epyc-zen4-vm-2-cores"), table("zen5", "2026-11-25-epyc-zen5-vm-2-cores"));
    let lab = Humdrum::new();
    let found: serde_json::Value =
        serde_json::from_slice(&lab.exits(0, &["beside", &zen4, &zen5, "--format", "json"]).stdout)
            .expect("JSON");
    assert_eq!((&found["reference"], &found["hosts"]), (&"zen4".into(), &serde_json::json!(["zen5"])));
    let rows = found["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 22);
    let hot = rows.iter().find(|row| row["published"]["test"] == "hot-points").expect("hot-points");
    assert!(hot["published"]["ratio"].as_f64().is_some_and(|ratio| ratio > 1.5), "{hot:#}");
    assert_ne!(hot["agreement"], "differs", "it doubled on both");
    let post = text_of(&lab.exits(0, &["beside", &zen4, &zen5, "--format", "markdown"]).stdout);
    assert!(post.contains("| test | zen4 | measured |") && post.contains("changes on zen4"), "{post}");
    let page = text_of(&lab.exits(0, &["beside", &zen4, &zen5, "--format", "html"]).stdout);
    assert!(page.contains("<h1>Beside zen4</h1>") && !page.contains("published"), "{page}");

    let alone = text_of(&lab.exits(2, &["beside", &zen4]).stderr);
    assert!(alone.contains("nothing to stand beside") && alone.contains("help: "), "{alone}");
    let twice = text_of(&lab.exits(2, &["beside", &zen4, &zen4]).stderr);
    assert!(twice.contains("have the name `zen4`"), "{twice}");
}

/// One table under two names moves nothing, and what is left is what one host has left.
#[test]
fn steps_lead_to_a_published_ratio() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let table = root.join("records/2026-11-22-epyc-vm-2-cores/mysql-today.tsv").display().to_string();
    let (ours, theirs, published) =
        (format!("ours={table}"), format!("theirs={table}"), root.join(PUBLISHED).display().to_string());
    let postgres = root.join("records/2026-11-25-epyc-zen5-vm-2-cores/first-command.tsv");
    let apart = format!("apart={}", postgres.display());
    let walk = ["beside", &ours, &theirs, "--published", &published, "--bridge", "--format"];
    let lab = Humdrum::new();
    let found = lab.exits(0, &[&walk[..], &["json"]].concat()).stdout;
    let found: serde_json::Value = serde_json::from_slice(&found).expect("JSON");
    assert_eq!(found["steps"], serde_json::json!(["ours", "theirs"]));
    let walks = found["walks"].as_array().expect("walks");
    assert!(!walks.is_empty());
    for walk in walks {
        assert_eq!(walk["steps"][1]["change"]["ratio"], 1.0, "{walk:#}");
        let ratio = |value: &serde_json::Value| value.as_f64().expect("a ratio");
        let way = ratio(&walk["steps"][1]["measured"]["ratio"]) * ratio(&walk["left"]["ratio"]);
        assert!((way - ratio(&walk["published"]["ratio"])).abs() < 1e-9, "{walk:#}");
    }
    let shown = text_of(&lab.exits(0, &[&walk[..], &["terminal"]].concat()).stdout);
    assert!(shown.contains("may be nothing") && shown.contains("theirs moves 0 of"), "{shown}");

    for (arguments, what) in [
        (&["beside", &ours, "--published", &published, "--bridge"][..], "two steps or more"),
        (&["beside", &ours, &ours, "--published", &published, "--bridge"], "have the name `ours`"),
        (&["beside", &ours, &theirs, "--bridge"], "--published"),
        (&["beside", &ours, &apart, "--published", &published, "--bridge"], "measured under two set-ups"),
    ] {
        let complaint = text_of(&lab.exits(2, arguments).stderr);
        assert!(complaint.contains(what), "{complaint}");
    }
}

/// The steps of a run on record beside the shares that were published of releases of the same series.
#[test]
fn shares_of_dead_rows_stand_beside_published_ones() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = |own: &str| root.join(own).display().to_string();
    let steps = path("records/2026-11-22-epyc-vm-2-cores/insert-postgres-steps.tsv");
    let published = path("published/postgres-12-to-18-insert-small-server--n-dead-tup--cpu-bound.tsv");
    let asked = ["beside", &steps, "--published", &published, "--format"];
    let lab = Humdrum::new();
    let found = lab.exits(0, &[&asked[..], &["json"]].concat()).stdout;
    let found: serde_json::Value = serde_json::from_slice(&found).expect("JSON");
    let rows = found["dead_rows"].as_array().expect("shares");
    assert_eq!((rows.len(), found["rows"].as_array().map(Vec::len)), (20, Some(0)));
    assert_eq!(found["other_metrics"], serde_json::Value::Null, "all of them were measured");
    let newest =
        rows.iter().find(|row| row["published"]["subject"] == "18.3" && row["published"]["test"] == "l.i1");
    let newest = newest.expect("l.i1 of 18.3");
    assert_eq!(
        (&newest["published"]["ratio"], &newest["measured"][0]["share"]),
        (&0.035.into(), &0.031_076_6.into())
    );
    let shown = text_of(&lab.exits(0, &[&asked[..], &["terminal"]].concat()).stdout);
    assert!(shown.contains("dead rows / all rows") && !shown.contains("agrees"), "{shown}");

    let sysbench = path(PUBLISHED);
    for (arguments, what) in [
        (&["beside", &steps, "--published", &sysbench][..], "figures that can be compared was measured"),
        (&["beside", &steps], "nothing to stand beside"),
    ] {
        let complaint = text_of(&lab.exits(2, arguments).stderr);
        assert!(complaint.contains(what) && complaint.contains("help: "), "{complaint}");
    }
}

#[test]
fn what_is_no_table_is_refused() {
    let lab = Humdrum::new();
    let empty = lab.path("empty.tsv");
    std::fs::write(&empty, "a\\tb\\n").expect("written");
    let empty = empty.display().to_string();
    for (arguments, what) in [
        (["beside", &empty, "--published", &empty], "line 1 has no column engine"),
        (["beside", &empty, "--published", "absent.tsv"], "cannot read absent.tsv"),
    ] {
        let output = lab.command(&arguments).output().expect("humdrum starts");
        let complaint = text_of(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{complaint}");
        assert!(complaint.contains(what), "{complaint}");
    }
}
