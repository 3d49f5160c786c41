//! A search after three rounds, and its endings.

use humdrum_model::{BisectFound, BisectLevel, BisectPosition};

use super::*;

fn found(ratio: f64) -> BisectRatio {
    BisectRatio { ratio, ci95: Some([ratio - 0.01, ratio + 0.01]) }
}

fn search() -> Bisect {
    let position = |number: usize| BisectPosition {
        name: format!("{number}.0"),
        subject: format!("engine@{number}.0"),
        about: String::new(),
        weight: 1.0,
    };
    let round = |kind, positions: &[usize], ratios: &[f64]| BisectRound {
        kind,
        positions: positions.to_vec(),
        ratios: ratios.iter().copied().map(found).collect(),
        seconds: 30.0,
        skipped: None,
    };
    let segment = |after, until, mass| BisectSegment { after, until, mass };
    let skipped = Some((5, "engine@5.0: it does not start".to_owned()));
    Bisect {
        script: None,
        levels: vec![
            BisectLevel { position: 8, ratio: found(1.002) },
            BisectLevel { position: 16, ratio: found(0.9) },
        ],
        schema: 1,
        tool: "humdrum 0.1.0".into(),
        suite: "sysbench".into(),
        test: "scan".into(),
        quantity: "throughput".into(),
        seed: 1,
        series: 0,
        profile: false,
        budget_seconds: None,
        round_seconds: 30.0,
        seconds: 90.0,
        positions: (0..=16).map(position).collect(),
        rounds: vec![
            round(BisectKind::Ends, &[0, 16], &[0.9]),
            round(BisectKind::Candidate, &[0, 8, 16], &[1.001, 0.901]),
            BisectRound { skipped, ratios: Vec::new(), ..round(BisectKind::Candidate, &[0, 12, 16], &[]) },
        ],
        ends: Some(found(0.9)),
        posterior: vec![segment(0, 4, 0.001), segment(4, 8, 0.009), segment(8, 16, 0.99)],
        others: vec![segment(2, 4, 0.98)],
        rounds_left: 4,
        state: BisectState::Unfinished,
        found: None,
    }
}

#[test]
fn a_round_is_told_with_bars() {
    let mut search = search();
    search.rounds.pop();
    insta::assert_snapshot!(bisect_progress(&search));
    search.rounds = self::search().rounds;
    assert!(bisect_progress(&search).starts_with("5.0 is skipped: engine@5.0: it does not start\n"));
}

#[test]
fn endings_say_what_there_is_to_know() {
    let style = Style { color: false, width: 100, verbose: false };
    let mut search = search();
    search.found = Some(BisectFound { after: 8, until: 10, mass: 0.999, ratio: found(0.899) });
    search.state = BisectState::Found;
    search.positions[10].about = "2026-01-02 Check every row twice".into();
    insta::assert_snapshot!(bisect(&search, style));
    let mut head = |state| {
        search.state = state;
        headline(&search)
    };
    insta::assert_snapshot!(
        [BisectState::Unconfirmed, BisectState::Same, BisectState::BudgetSpent, BisectState::Unfinished]
            .map(&mut head)
            .join("\n")
    );
}

#[test]
fn the_page_and_the_post_have_what_the_terminal_has() {
    let mut search = search();
    search.found = Some(BisectFound { after: 8, until: 16, mass: 0.999, ratio: found(0.899) });
    search.state = BisectState::Found;
    search.positions[16].about = "2026-01-02 Check <every> row".into();
    let page = bisect_html(&search, None);
    assert!(page.contains("Check &lt;every&gt; row") && page.contains("first that differs"), "{page}");
    let section = |id: &str| page.split(&format!("<section id=\"{id}\">")).nth(1).map(str::to_owned);
    let levels = section("levels").expect("levels");
    assert_eq!(levels.split("</section>").next().map_or(0, |text| text.matches("<svg").count()), 2);
    assert!(section("posterior").is_some_and(|text| text.contains("99.0 %")), "{page}");
    assert!(!page.contains("NaN") && section("rounds").is_some_and(|text| text.contains("skipped")));
    insta::assert_snapshot!(bisect_markdown(&search, None));
}
