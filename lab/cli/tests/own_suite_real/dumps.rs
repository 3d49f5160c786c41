//! Dumps as data, on servers of several releases.

use std::fs;

use crate::common::{Humdrum, text_of};
use crate::{repository, write};

/// A folder without schema for the dumps of the tests, and these beside it.
fn with_dumps() -> Humdrum {
    let humdrum = Humdrum::with_shared_builds();
    let tests = "[[test]]\nname = \"browse\"\nfile = \"browse.sql\"\n[[test]]\nname = \"count\"\nfile = \"count.sql\"\n";
    write(&humdrum, "workload.toml", &format!("name = \"shop\"\n{tests}"));
    write(&humdrum, "browse.sql", "\\set id random(1, 40)\nSELECT * FROM products WHERE id = :id;\n");
    write(&humdrum, "count.sql", "SELECT COUNT(*) FROM app.orders WHERE product < 20;\n");
    for file in fs::read_dir(repository().join("lab/workloads/script/tests/dumps")).expect("listed").flatten()
    {
        fs::copy(file.path(), humdrum.path("").join(file.file_name())).expect("copied");
    }
    humdrum
}

/// What pg_dump writes, in each of its formats that are read.
#[test]
#[ignore = "slow: servers of two releases"]
fn dumps_of_postgres_are_restored() {
    let humdrum = with_dumps();
    for dump in ["shop.sql", "shop.sql.zst", "shop.dump", "shop-plain.dump", "shop-inserts.dump"] {
        let check = ["suite", "check", "./shop", "--data", dump, "postgres@16.11", "postgres@17.7"];
        let told = text_of(&humdrum.exits(0, &check).stdout);
        assert!(!told.contains("differ between"), "{dump}: {told}");
        assert_eq!(told.matches(": 140 rows at ").count(), 2, "{dump}: {told}");
    }
}

/// A database of 100 orders whose statistics say 123456, and a test that fails where they were not imported.
#[test]
#[ignore = "slow: servers of three releases"]
fn statistics_of_a_dump_are_imported_where_all_releases_can() {
    let humdrum = with_dumps();
    let test = "[[test]]\nname = \"imported\"\nfile = \"imported.sql\"\n";
    write(&humdrum, "workload.toml", &format!("name = \"shop\"\n{test}"));
    let imported = "SELECT 1 / (reltuples = 123456)::int FROM pg_class WHERE relname = 'orders';\n";
    write(&humdrum, "imported.sql", imported);
    for dump in ["statistics.sql", "statistics.dump"] {
        let check = ["suite", "check", "./shop", "--data", dump, "postgres@18.1", "postgres@18.6"];
        let said = text_of(&humdrum.exits(0, &check).stderr);
        assert!(!said.contains("not imported"), "{dump}: {said}");
    }
    let check = ["suite", "check", "./shop", "--data", "statistics.dump", "postgres@18.6", "postgres@17.7"];
    let said = text_of(&humdrum.exits(2, &check).stderr);
    assert!(said.contains("not imported, but taken anew") && said.contains("division by zero"), "{said}");
    // Sessions of a comparison have copies of a load, with its statistics.
    let compare = ["a=postgres@18.6", "b=postgres@18.6", "--suite", "./shop", "--data", "statistics.dump"];
    let (code, _, said) =
        humdrum.compare("r", &[&compare[..], &["--budget", "60s", "--sessions", "4"]].concat());
    assert_eq!(code, 0, "{said}");
    let results = humdrum.results("r");
    assert!(results.finished && !results.events.iter().any(|event| event.status.is_failure()), "{said}");
}

/// A setting is left out, a statement only on demand; both are shown with their line.
#[test]
#[ignore = "slow: starts servers"]
fn what_a_release_refuses_of_a_dump_is_told_with_its_line() {
    let humdrum = with_dumps();
    let dump = fs::read_to_string(humdrum.path("shop.sql")).expect("read");
    let odd = "SET no_such_setting = 1;\nCREATE TABLE public.bad (x no_such_type);\nCOPY public.none (id) FROM stdin;\n1\n\\.\n";
    fs::write(
        humdrum.path("odd.sql"),
        dump.replacen("CREATE SCHEMA app;", &format!("CREATE SCHEMA app;\n{odd}"), 1),
    )
    .expect("written");
    let line = 1 + dump[..dump.find("CREATE SCHEMA app;").expect("a schema")].matches('\n').count();
    let check = ["suite", "check", "./shop", "--data", "odd.sql", "postgres@17.7"];
    let said = text_of(&humdrum.exits(2, &check).stderr);
    let [setting, table, rows] = [1, 2, 3].map(|more| format!("odd.sql:{}:1: ", line + more));
    assert!(said.contains(&format!("left out: {}", humdrum.path(&setting).display())), "{said}");
    assert!(said.contains(&table) && said.contains("(CREATE TABLE public.bad (x no_such_type))"), "{said}");
    assert!(said.contains("help: --on-restore-error skip"), "{said}");
    let output = humdrum.exits(0, &[&check[..], &["--on-restore-error", "skip"]].concat());
    let said = text_of(&output.stderr);
    assert!([&setting, &table, &rows].iter().all(|place| said.contains(place.as_str())), "{said}");
    assert!(text_of(&output.stdout).contains(": 140 rows at "), "{said}");
}

/// What mariadb-dump writes, on MariaDB and MySQL.
#[test]
#[ignore = "slow: servers of two engines"]
fn dumps_of_mariadb_are_restored() {
    let humdrum = with_dumps();
    write(&humdrum, "count.sql", "SELECT COUNT(*) FROM orders WHERE product < 20;\n");
    let check = ["suite", "check", "./shop", "--data", "mariadb.sql", "mysql@8.0.33", "mariadb@10.11.19"];
    let told = text_of(&humdrum.exits(0, &check).stdout);
    assert!(!told.contains("differ between"), "{told}");
    assert_eq!(told.matches(": 140 rows at ").count(), 2, "{told}");
}

/// A dump is restored once, and copied for later sessions.
#[test]
#[ignore = "slow: two servers, a minute"]
fn a_comparison_on_a_dump_copies_it_for_its_sessions() {
    let humdrum = with_dumps();
    write(
        &humdrum,
        "buy.sql",
        "\\set id random(1, 40)\nUPDATE products SET price = price + 1 WHERE id = :id;\n",
    );
    let workload = fs::read_to_string(humdrum.path("shop/workload.toml")).expect("read");
    write(&humdrum, "workload.toml", &format!("{workload}[[test]]\nname = \"buy\"\nfile = \"buy.sql\"\n"));
    let compare = ["postgres@16.11", "postgres@17.7", "--suite", "./shop", "--data", "shop.dump"];
    let (code, _, said) =
        humdrum.compare("r", &[&compare[..], &["--budget", "60s", "--sessions", "4"]].concat());
    assert!(matches!(code, 0 | 1), "{said}");
    let results = humdrum.results("r");
    assert!(results.loads.iter().all(|load| load.rows == 140 && load.checksum == results.loads[0].checksum));
    assert!(
        results.finished && !results.events.iter().any(|event| event.status.is_failure()),
        "{:?}",
        results.events
    );
}
