//! `humdrum extend` on the fake engine: further runs beside the first, judged together.

use crate::common::{Humdrum, text_of};

#[test]
fn further_runs_are_judged_together_with_the_first() {
    let humdrum = Humdrum::new();
    let subjects = ["fake@1.0", "fake@1.0+slowdown=5%"];
    let (code, ..) =
        humdrum.compare("r", &[&subjects[..], &["--tests", "range", "--scale", "tiny"]].concat());
    assert_eq!(code, 1);
    humdrum.exits(1, &["extend", "r", "--quiet"]);
    let told = text_of(&humdrum.exits(1, &["extend", "r", "--budget", "60s", "--quiet"]).stdout);
    assert!(told.contains("3 runs, begun at ") && told.contains("run 3"), "{told}");
    let summary = humdrum.summary("r");
    let test = &summary["comparisons"][0]["tests"][0];
    assert_eq!((test["runs"].as_array().map(Vec::len), &test["verdict"]), (Some(3), &"regression".into()));
    let [first, third] = ["r", "r/runs/3"].map(|folder| humdrum.results(folder));
    assert_eq!(third.plan.seed, first.plan.seed + 2, "other work in another order");
    assert!(third.plan.budget_seconds < first.plan.budget_seconds);
    // Asked for again, all of them are judged, and one of them by itself.
    let all = text_of(&humdrum.exits(0, &["report", "r"]).stdout);
    assert!(all.contains("3 runs, begun at "), "{all}");
    let one = text_of(&humdrum.exits(0, &["report", "r/runs/2"]).stdout);
    assert!(!one.contains("runs, begun at"), "{one}");
}

#[test]
fn what_cannot_be_extended_is_refused() {
    let humdrum = Humdrum::new();
    for args in [&["extend", "nothing"][..], &["extend", "nothing", "--at", "25:00"]] {
        let output = humdrum.exits(2, args);
        assert!(text_of(&output.stderr).contains("hint") || text_of(&output.stderr).contains("give "));
    }
    assert!(!humdrum.path("nothing").exists());
}
