//! Requests that can be run become plans. Everything else is refused, with words on what to type.

mod common;

use common::{checked, request};
use humdrum_model::{Dimension, Mode, Place};
use humdrum_plan::{Need, Outlook, Request, dry_run, log_need};

const PAIR: [&str; 2] = ["fake@1.0", "fake@2.0+slowdown=3%"];

#[test]
fn a_bare_pair_becomes_a_whole_plan() {
    let plan = checked(&request(&["fake@1", "new=fake@2.0"])).unwrap();
    assert_eq!(plan.subjects[0].place, Place::Version("1.1".into()));
    assert_eq!((plan.subjects[0].label.as_str(), plan.subjects[1].label.as_str()), ("fake@1", "new"));
    assert_eq!((plan.suite.as_str(), plan.scale.name.as_str(), plan.tests.len()), ("sysbench", "small", 22));
    assert_eq!((plan.mode, plan.seed, plan.budget_seconds), (Mode::Interleaved, 1, 270.0));
    assert!(checked(&request(&["a=fake@1.0", "b=fake@1.0"])).is_ok());
}

#[test]
fn tests_come_by_name_and_group_in_the_suites_order() {
    let names = |wanted: &[&str]| -> Vec<String> {
        let tests = wanted.iter().map(|name| (*name).to_owned()).collect();
        let plan = checked(&Request { tests, ..request(&PAIR) }).unwrap();
        plan.tests.into_iter().map(|test| test.name).collect()
    };
    assert_eq!(names(&["scan", "hot-points"]), ["hot-points", "scan"]);
    assert_eq!(names(&["scan,hot-points,scan"]), ["hot-points", "scan"]);
    assert_eq!(names(&["range"]).len(), 5);
    assert_eq!(names(&["all"]).len(), 22);
}

#[test]
fn scales_come_by_name_and_number() {
    let scale =
        |text: &str| checked(&Request { scale: Some(text.into()), ..request(&PAIR) }).map(|plan| plan.scale);
    assert_eq!(scale("tiny").unwrap().rows, 1_000);
    let exact = scale("rows=2M,tables=3,clients=4").unwrap();
    assert_eq!((exact.rows, exact.tables, exact.clients, exact.name.as_str()), (2_000_000, 3, 4, "custom"));
    assert_eq!(scale("tiny,clients=2").unwrap().rows, 1_000);
    assert_eq!(scale("rows=1k,tables=1,clients=1").unwrap().name, "tiny");
}

#[test]
fn a_list_of_clients_is_a_test_for_each() {
    let plan = |scale: &str| {
        let tests = vec!["scan".into(), "hot-points".into()];
        checked(&Request { scale: Some(scale.into()), tests, ..request(&PAIR) })
    };
    let list = plan("tiny,clients=1,4,16,tables=2").unwrap();
    let names: Vec<&str> = list.tests.iter().map(|test| test.name.as_str()).collect();
    let expected = ["hot-points:c1", "hot-points:c4", "hot-points:c16", "scan:c1", "scan:c4", "scan:c16"];
    assert_eq!((names.as_slice(), list.scale.clients, list.scale.tables), (&expected[..], 16, 2));
    assert_eq!((list.clients_of(&list.tests[1]), list.numbers(Dimension::Clients)), (4, vec![1, 4, 16]));
    assert_eq!(list.scale_typed(), "rows=1000,tables=2,clients=1,4,16");
    assert_eq!(list.tests_typed(), ["hot-points", "scan"]);
    assert_eq!(plan(&list.scale_typed()).unwrap(), list, "what is typed is what was planned");
    assert_eq!(plan("clients=4").unwrap().tests[0].name, "hot-points");
    let lengths: Vec<f64> = list.tests[..3].iter().map(|test| list.slice_ms_of(test)).collect();
    assert_eq!(lengths, [10.0, 10.0, 40.0]);
    let text = dry_run(&list, &Need::default(), &Outlook::default());
    assert!(text.contains("interleaved in slices of 10 to 40 ms\n"), "{text}");
    // One client has several connections in a session, and sixteen have one each.
    let connections = |at: usize| list.design.connections_of(&list.tests[at]);
    assert!(connections(0) > 1 && connections(2) == 1, "{} {}", connections(0), connections(2));
}

#[test]
fn a_list_of_rows_is_a_test_for_each_on_data_of_its_own() {
    let plan = |scale: &str| {
        let tests = vec!["scan".into(), "hot-points".into()];
        checked(&Request { scale: Some(scale.into()), tests, ..request(&PAIR) })
    };
    let list = plan("tiny,rows=40k,1k,tables=2").unwrap();
    let names: Vec<&str> = list.tests.iter().map(|test| test.name.as_str()).collect();
    assert_eq!(names, ["hot-points:r40k", "hot-points:r1k", "scan:r40k", "scan:r1k"]);
    assert_eq!((list.scale.rows, list.scale_of(&list.tests[1]).rows), (40_000, 1_000));
    let sets: Vec<u64> = list.data_sets().iter().map(|data| data.rows).collect();
    assert_eq!((list.numbers(Dimension::Rows), sets), (vec![40_000, 1_000], vec![1_000, 40_000]));
    assert_eq!(list.scale_typed(), "rows=40k,1k,tables=2,clients=1");
    assert_eq!(plan(&list.scale_typed()).unwrap(), list, "what is typed is what was planned");
    assert!(list.design.reload && !list.design.copy, "each session makes its own data");
    assert_eq!(list.sessions_max(), 2 * list.design.sessions_max());
    let both = plan("rows=1k,2k,clients=1,4").unwrap();
    let names: Vec<&str> = both.tests[..4].iter().map(|test| test.name.as_str()).collect();
    let expected = ["hot-points:r1k:c1", "hot-points:r1k:c4", "hot-points:r2k:c1", "hot-points:r2k:c4"];
    assert_eq!((names.as_slice(), both.tests.len()), (&expected[..], 8));
    assert_eq!(both.scale_typed(), "rows=1k,2k,tables=1,clients=1,4");
    assert_eq!(both.tests_typed(), ["hot-points", "scan"]);
}

#[test]
fn data_are_so_many_times_the_memory() {
    let plan = |scale: &str, memory: Option<&str>| {
        let memory = memory.map(str::to_owned);
        checked(&Request { scale: Some(scale.into()), memory, ..request(&PAIR) })
    };
    let small = plan("io-small", Some("256M")).unwrap();
    assert_eq!((small.scale.rows, small.memory_bytes), ((1 << 30) / 250, Some(256 << 20)));
    assert_eq!(plan(&small.scale_typed(), Some("256M")).unwrap(), small, "what is typed is what was planned");
    let tables = plan("clients=4,tables=2,io-medium", Some("1G")).unwrap().scale;
    assert_eq!((tables.rows, tables.tables, tables.clients), ((8 << 30) / 2 / 250, 2, 4));
    let refused = |scale, memory| plan(scale, memory).unwrap_err();
    assert_eq!(refused("io-small", None).hint.as_deref(), Some("give one: --memory 1G"));
    assert!(refused("io-small,rows=5", Some("1G")).what.contains("has its rows from --memory"));
    assert!(refused("io-medium", Some("100G")).what.contains("more than 2000000000"));
}

#[test]
fn a_test_of_one_client_has_one_at_any_scale() {
    let mut plan = checked(&Request { scale: Some("tiny,clients=4".into()), ..request(&PAIR) }).unwrap();
    plan.tests[0].clients_at_most = Some(1);
    assert_eq!([0, 1].map(|test| plan.clients_of(&plan.tests[test])), [1, 4]);
    assert_eq!(plan.scale_of(&plan.tests[0]).clients, 1);
    assert_eq!(plan.numbers(Dimension::Clients), [4]);
    plan.tests.truncate(1);
    let numbers = plan.numbers(Dimension::Clients);
    assert_eq!(numbers, [4], "as the scale says, which every test may fall short of");
}

#[test]
fn a_plan_file_has_lists_too() {
    let file =
        "subjects = ['fake@1.0', 'fake@2.0']\ntests = 'scan'\nscale = 'tiny'\n[matrix]\nclients = [1, 8]";
    let read = Request::parse_toml(file, "plan.toml").unwrap();
    let numbers = |request: &Request| {
        let plan = checked(request).unwrap();
        Dimension::ALL.map(|dimension| plan.numbers(dimension))
    };
    assert_eq!(numbers(&read), [vec![1_000], vec![1, 8]]);
    let typed = |scale: &str| Request { scale: Some(scale.into()), ..Request::default() };
    assert_eq!(numbers(&read.clone().merge(typed("tiny,clients=2"))), [vec![1_000], vec![2]]);
    let read = Request::parse_toml(&format!("{file}\nrows = [500, 2_000]"), "plan.toml").unwrap();
    assert_eq!(numbers(&read), [vec![500, 2_000], vec![1, 8]]);
    assert_eq!(numbers(&read.clone().merge(typed("rows=7k"))), [vec![7_000], vec![1, 8]]);
    for (scale, word) in [("clients=2", "clients"), ("rows=2k", "rows")] {
        let both = Request { scale: Some(scale.into()), ..read.clone() };
        assert!(checked(&both).unwrap_err().what.contains(&format!("both scale and [matrix] name {word}")));
    }
}

#[test]
fn bad_requests_say_what_and_what_to_type() {
    let with = |change: fn(&mut Request)| {
        let mut request = request(&PAIR);
        change(&mut request);
        request
    };
    let cases: Vec<(Request, &str, &str)> = vec![
        (request(&["fake@1.0"]), "1 subjects given", "name the base"),
        (request(&[]), "0 subjects given", "name the base"),
        (request(&["fake@1.0", "fake@1.0"]), "`fake@1.0` is given twice", "a=fake@1.0 b=fake@1.0"),
        (request(&["x=fake@1.0", "x=fake@2.0"]), "two subjects are labelled `x`", "of its own"),
        (request(&["fkae@1.0", "fake@2.0"]), "unknown engine `fkae`", "did you mean `fake`?"),
        (request(&["fake@9.9", "fake@2.0"]), "fake@9.9: fake has no release 9.9", "1.0"),
        (request(&["fake@1.0+slowdwon=3%", "fake@2.0"]), "no setting `slowdwon`", "slowdown"),
        (request(&["fake@/opt/fake", "fake@2.0"]), "built in", "fake@1.0"),
        (request(&["fake@fake://host/db", "fake@2.0"]), "did not start", "--allow-external"),
        (with(|r| r.suite = Some("sysbnech".into())), "unknown suite", "did you mean `sysbench`?"),
        (
            with(|r| r.suite = Some("kv".into())),
            "suite kv needs keys and values, and fake has SQL",
            "runs on",
        ),
        (with(|r| r.tests = vec!["hot-point".into()]), "no test or group `hot-point`", "`hot-points`"),
        (with(|r| r.tests = vec!["".into()]), "empty name", "--tests"),
        (with(|r| r.scale = Some("smal".into())), "unknown scale `smal`", "`small`"),
        (with(|r| r.scale = Some("row=5".into())), "knows no `row`", "`rows`"),
        (with(|r| r.scale = Some("rows=many".into())), "`many` is not a count", "100k"),
        (with(|r| r.scale = Some("clients=100k".into())), "more than 512", "512"),
        (with(|r| r.scale = Some("clients=4,4".into())), "names clients=4 twice", "each once"),
        (with(|r| r.scale = Some("rows=1k,1000".into())), "names rows=1k twice", "each once"),
        (with(|r| r.scale = Some("tables=1,2".into())), "tables has several values", "humdrum report"),
        (
            with(|r| (r.scale, r.reload) = (Some("rows=1k,2k".into()), Some(false))),
            "several numbers of rows",
            "reload = false",
        ),
        (with(|r| r.scale = Some("4".into())), "unknown scale `4`", "tiny"),
        (with(|r| r.budget = Some("5".into())), "--budget: `5` is not a length of time", "5m"),
        (with(|r| r.budget = Some("20s".into())), "too small for 22 tests", "--budget"),
        (with(|r| r.budget = Some("1000h".into())), "more than a week", "1h30m"),
        (with(|r| r.mode = Some("interleave".into())), "unknown mode", "`interleaved`"),
        (with(|r| r.delta = Some("0".into())), "--delta: `0` is not a change", "1%"),
        (with(|r| r.slice_ms = Some(1.0)), "outside 3 to 100 ms", "--slice-ms"),
        (with(|r| r.slice_ms = Some(f64::NAN)), "outside 3 to 100 ms", "--slice-ms"),
        (with(|r| r.sessions = Some(1)), "outside 4 to 200", "--sessions"),
        (with(|r| r.timeout = Some("1ms".into())), "merely slow", "--timeout 1s"),
        (with(|r| r.timeout = Some("soon".into())), "--timeout: `soon`", "90s"),
        (
            with(|r| (r.mode, r.restart) = (Some("sequential".into()), Some(false))),
            "cannot keep running",
            "--mode interleaved",
        ),
    ];
    for (request, what, hint) in cases {
        let fault = checked(&request).unwrap_err();
        assert!(fault.to_string().contains(what), "{fault} instead of {what}");
        assert!(fault.hint.clone().unwrap_or_default().contains(hint), "{what}: {:?}", fault.hint);
        assert_eq!(fault.exit_code(), 2);
    }
}

#[test]
fn more_budget_is_never_too_small_where_less_was_enough() {
    for tests in [&["scan"][..], &["scan", "hot-points"], &["range"], &["all"]] {
        let accepted = |budget: &u32| {
            let tests = tests.iter().map(|test| (*test).to_owned()).collect();
            checked(&Request { tests, budget: Some(format!("{budget}s")), ..request(&PAIR) }).is_ok()
        };
        let budgets: Vec<u32> = (5..240).collect();
        let first = budgets.iter().position(accepted).expect("four minutes are enough");
        assert!(first > 0 && budgets[first..].iter().all(accepted), "{tests:?}");
    }
}

/// A run that the program plans itself takes the budget that the refusal would have named, and that budget is enough.
#[test]
fn a_budget_that_may_grow_is_what_the_hint_says() {
    let small = Request { budget: Some("20s".into()), ..request(&PAIR) };
    let hint = checked(&small).unwrap_err().hint.unwrap();
    let plan = checked(&Request { budget_grows: true, ..small.clone() }).unwrap();
    assert!(hint.contains(&format!("--budget {}s,", plan.budget_seconds)), "{hint}");
    let typed = Request { budget: Some(format!("{}s", plan.budget_seconds)), ..small };
    assert_eq!(checked(&typed).unwrap(), plan);
    let large = Request { budget: Some("10m".into()), budget_grows: true, ..request(&PAIR) };
    assert_eq!(checked(&large).unwrap().budget_seconds, 600.0);
}

#[test]
fn a_dry_run_says_everything() {
    let plan = checked(&request(&PAIR)).unwrap();
    let (disk_bytes_per_subject, memory_bytes_per_subject) = (25 << 20, 256 << 20);
    let need = Need { disk_bytes_per_subject, memory_bytes_per_subject, ..Need::default() };
    let outlook = Outlook { half_width: 0.034, detectable: 0.012 };
    let text = dry_run(&plan, &need, &outlook);
    let all =
        ["fake@1.0", "sysbench", "22: hot-points", "50 MiB", "512 MiB", "±3.4 %", "1.20 %", "4 min 30 s"];
    for words in all {
        assert!(text.contains(words), "{words} in\n{text}");
    }
    assert!(!text.contains("disk of the results"), "{text}");
    let alone = Request { mode: Some("sequential".into()), ..request(&PAIR) };
    let text = dry_run(&checked(&alone).unwrap(), &need, &outlook);
    for words in ["one subject at a time", "disk                  25 MiB", "memory                256 MiB"] {
        assert!(text.contains(words), "{words} in\n{text}");
    }
}

/// Two fake servers restart in a second, and load 100,000 rows in a quarter of one.
#[test]
fn a_dry_run_says_what_each_number_of_rows_costs() {
    let scale = Some("rows=40k,160k,640k".into());
    let tests = vec!["scan".into()];
    let plan = checked(&Request { scale, tests, budget: Some("10m".into()), ..request(&PAIR) }).unwrap();
    let text = dry_run(&plan, &Need::default(), &Outlook::default());
    let (each, all) = (plan.design.sessions_max(), plan.sessions_max());
    for words in [
        "40000, 160000, 640000 rows x 1 tables",
        "1: scan, each at 3 numbers of rows\n",
        &format!("at most {all} to confirm"),
        &format!("data sets             3, each loaded anew for {each} sessions of its own:\n"),
        "\n                      40k rows: 1.1 s before a session, ",
        "\n                      640k rows: 2.5 s before a session, ",
        "0.0 s once, 1.1, 1.4, 2.5 s per session",
    ] {
        assert!(text.contains(words), "{words} in\n{text}");
    }
}

/// Four sessions of half an hour, in which two tests have blocks of two slices of 3 ms, each with a guard and its edge; 17 KB a block.
#[test]
fn a_log_that_needs_much_disk_is_told_of() {
    let tests = vec!["scan".into(), "hot-points".into()];
    let long = Request { budget: Some("2h".into()), sessions: Some(4), tests, ..request(&PAIR) };
    let plan = checked(&long).unwrap();
    let told = log_need(&plan).expect("much");
    let mebibytes: f64 = told.split(' ').nth(2).and_then(|word| word.parse().ok()).expect("a number");
    let seconds = 2.0 * (plan.design.seconds_per_test_session - plan.design.warmup_seconds);
    let expected = seconds / 0.0072 * 17e3 / f64::from(1 << 20);
    assert!((mebibytes / expected - 1.0).abs() < 0.01 && expected > 3000.0, "{told}, {expected}");
    let text = dry_run(&plan, &Need::default(), &Outlook::default());
    assert!(text.contains(&format!("\ndisk of the results   {told}\n")), "{text}");
}
