//! A search after three rounds, and its endings.

use humdrum_model::{BisectBranch, BisectFound, BisectLevel, BisectPosition, BisectScript};

use super::ending::{another, headline};
use super::*;

fn found(ratio: f64) -> BisectRatio {
    BisectRatio { ratio, ci95: Some([ratio - 0.01, ratio + 0.01]) }
}

pub(super) fn search() -> Bisect {
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
        beside_seconds: 0.0,
        skipped: None,
    };
    let segment = |after, until, mass| BisectSegment { after, until, mass };
    let skipped = Some((5, "engine@5.0: it does not start".to_owned()));
    Bisect {
        script: None,
        request: None,
        fresh_links: false,
        builds: 1,
        path: None,
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
        merged: Vec::new(),
        goes_inside: false,
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

#[test]
fn another_change_has_its_place_and_size() {
    let mut search = search();
    let told = |search: &Bisect| another(search, &search.others[0]);
    assert_eq!(
        told(&search),
        "There is another change: after engine@2.0, at the latest at engine@4.0; another bisect can search between the two"
    );
    search.levels.insert(0, BisectLevel { position: 2, ratio: found(0.98) });
    search.levels.insert(1, BisectLevel { position: 4, ratio: found(0.49) });
    search.others[0].after = 2;
    assert!(told(&search).contains("engine@4.0, which has 0.500 of it; another"), "{}", told(&search));
    search.others[0] = BisectSegment { after: 15, until: 16, mass: 0.98 };
    search.levels.push(BisectLevel { position: 15, ratio: found(0.6) });
    assert!(told(&search).ends_with("at engine@16.0, which has 1.500 of it"), "{}", told(&search));
}

#[test]
fn a_merge_has_the_command_that_searches_inside() {
    let mut search = search();
    search.found = Some(BisectFound { after: 8, until: 9, mass: 0.999, ratio: found(0.899) });
    search.state = BisectState::Found;
    let [good, bad] = ["c3", "d4"].map(|digits| digits.repeat(20));
    search.merged = vec![BisectBranch { good, bad, commits: 12 }];
    search.positions[9].subject = format!("engine@src:../a b#{}+cc=clang", "ab".repeat(20));
    let of = |search: &Bisect| ending(search).swap_remove(1);
    assert_eq!(
        of(&search),
        "It merges 12 commits; to search them, with the same options: \
         humdrum bisect 'engine@src:../a b+cc=clang' c3c3c3c3c3 d4d4d4d4d4 --tests scan"
    );
    search.script = Some(BisectScript {
        repository: "../repo".into(),
        run: "./it's".into(),
        prepare: None,
        sessions: 8,
        timeout_seconds: None,
    });
    assert!(
        of(&search).ends_with(r"humdrum bisect ../repo c3c3c3c3c3 d4d4d4d4d4 --run './it'\''s'"),
        "{}",
        of(&search)
    );
    search.goes_inside = true;
    assert_eq!(
        of(&search),
        "It merges 12 commits, among which the search went on: the folder `inside` has what it found"
    );
}
