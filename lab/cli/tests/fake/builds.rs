//! `--builds N` on the fake engine, whose layouts have luck of their own where that is ordered.

use crate::common::{Humdrum, text_of};

/// Of a test's ratio: the half-width of its interval, as a fraction.
fn half_width(summary: &serde_json::Value) -> f64 {
    let ci95 = &summary["comparisons"][0]["tests"][0]["ci95"];
    let end = |number: usize| ci95[number].as_f64().expect("an interval");
    (end(1) - end(0)) / 2.0
}

#[test]
fn each_run_has_builds_of_its_own_and_intervals_cover_their_luck() {
    let humdrum = Humdrum::new();
    let luck = "+session_noise=0.2%+build_luck=1%";
    let subjects = [&format!("a=fake@1.0{luck}")[..], &format!("b=fake@1.0{luck}")];
    let more = ["--tests", "point-query", "--scale", "tiny", "--budget", "4m"];
    let told = |out: &str, builds: &[&str]| {
        let output = humdrum
            .private(&[&["compare"], &subjects[..], &more, builds, &["--out", out, "--quiet"]].concat());
        text_of(&{ output }.output().expect("it runs").stdout)
    };
    told("one", &[]);
    let report = told("eight", &["--builds", "8"]);
    assert!(report.contains("8 runs, each with builds of its own, begun at "), "{report}");
    assert!(report.contains("for other builds of these sources"), "{report}");
    let words = report.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("from build to build of the same sources"), "{report}");
    let layouts: Vec<u32> = (1..=8_u32)
        .map(|run| if run == 1 { "eight".to_owned() } else { format!("eight/runs/{run}") })
        .map(|folder| humdrum.results(&folder).plan.builds.expect("builds").number)
        .collect();
    assert_eq!(layouts, [1, 2, 3, 4, 5, 6, 7, 8]);
    let [one, eight] = ["one", "eight"].map(|out| humdrum.summary(out));
    assert!(half_width(&one) < 0.004, "one build does not show its luck: {}", half_width(&one));
    assert!(half_width(&eight) > 0.005, "eight do: {}", half_width(&eight));
    let ci95 = &eight["comparisons"][0]["tests"][0]["ci95"];
    // Two builds with a luck of 1 % each lie in a ratio; eight ratios show their spread roughly.
    let level = &eight["comparisons"][0]["tests"][0]["build_level"];
    let sd = |name: &str| level[name].as_f64().expect("a standard deviation");
    assert!(level["builds"] == 8 && (0.006..0.03).contains(&sd("sd_between")), "{level}");
    assert!(sd("sd_within") < 0.004, "{level}");
    assert!(one["comparisons"][0]["tests"][0]["build_level"].is_null());
    let holds =
        ci95[0].as_f64().is_some_and(|low| low < 1.0) && ci95[1].as_f64().is_some_and(|high| high > 1.0);
    assert!(holds, "two of one source are equal: {ci95}");
}

#[test]
fn an_interrupted_row_of_builds_goes_on() {
    let humdrum = Humdrum::new();
    let more = ["--tests", "range", "--scale", "tiny", "--budget", "2m", "--builds", "3", "--out", "r"];
    let mut child = humdrum
        .private(&[&["compare", "fake@1.0", "fake@2.0", "--quiet"], &more[..]].concat())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("it starts");
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while humdrum.recorded("r/runs/2").is_none() && child.try_wait().expect("asked").is_none() {
        assert!(std::time::Instant::now() < until, "the second run does not begin");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child.kill().expect("killed");
    child.wait().expect("ended");
    if !humdrum.path("r/runs/3").exists() {
        let told =
            text_of(&humdrum.private(&["resume", "r/runs/2", "--quiet"]).output().expect("it runs").stdout);
        assert!(told.contains("3 runs, each with builds of its own"), "{told}");
    }
    assert_eq!(humdrum.results("r/runs/3").plan.builds.map(|builds| builds.number), Some(3));
    let output = humdrum.exits(2, &["resume", "r"]);
    assert!(text_of(&output.stderr).contains("came to its end"), "{}", text_of(&output.stderr));
}

#[test]
fn builds_that_there_cannot_be_are_refused() {
    let humdrum = Humdrum::new();
    let refused = |args: &[&str], expected: &str| {
        let told = text_of(&humdrum.exits(2, &[&["compare"], args].concat()).stderr);
        assert!(told.contains(expected), "{args:?}: {told}");
    };
    refused(&["fake@1.0", "fake@2.0", "--builds", "1"], "1 builds of each subject");
    refused(&["fake@1.0", "fake@2.0", "--builds", "65"], "give 2 to 64");
    refused(&["fake@1.0+layout=3", "fake@2.0", "--builds", "4"], "has a layout of its own");
    refused(&["postgres@16.11", "postgres@17.7", "--builds", "4"], "--from source");
    refused(&["fake@1.0", "fake@2.0", "--patch", "fix.patch"], "no subject is built from any");
    refused(&["fake@1.0", "fake@2.0", "--builds", "4", "--shard", "1/2"], "cannot be used with");
    let dry = humdrum.exits(0, &["compare", "fake@1.0", "fake@2.0", "--builds", "4", "--dry-run"]);
    assert!(
        text_of(&dry.stdout).contains("4 of each subject, linked in 4 layouts"),
        "{}",
        text_of(&dry.stdout)
    );
}
