//! A dump as the data of a user's own workload.

use std::fs;
use std::io::Write;

use super::own_data::{WORKLOAD, described, write};
use super::own_suite::refused;
use crate::common::{Humdrum, text_of};

const DUMP: &str = "--\n-- PostgreSQL database dump\n--\n\nSET statement_timeout = 0;\n\
    CREATE TABLE public.products (id integer, name text);\nALTER TABLE public.products OWNER TO me;\n\
    COPY public.products (id, name) FROM stdin;\n1\ta\n2\t\\N\n3\tc\n\\.\n\n\
    --\n-- PostgreSQL database dump complete\n--\n\n";

/// A folder without schema, and a dump beside it.
fn with_dump() -> Humdrum {
    let humdrum = Humdrum::new();
    write(&humdrum, "workload.toml", "name = \"shop\"\n[[test]]\nname = \"browse\"\nfile = \"browse.sql\"\n");
    write(&humdrum, "browse.sql", "SELECT name FROM products WHERE id = 1;\n");
    fs::write(humdrum.path("prod.dump"), DUMP).expect("written");
    humdrum
}

#[test]
fn a_dump_is_restored_and_the_same_one_when_a_run_goes_on() {
    let humdrum = with_dump();
    let compare = ["fake@1.0", "fake@1.1", "--suite", "./shop", "--budget", "60s"];
    let given = ["--data", "prod.dump", "--on-restore-error", "skip"];
    let (_, summary, said) = humdrum.compare("r", &[&compare[..], &given].concat());
    assert_eq!(summary["suite"], "shop", "{said}");
    let results = humdrum.results("r");
    assert!(results.loads.iter().all(|load| load.rows == 3), "{:?}", results.loads);
    assert_eq!(results.plan.scale.rows, 3);
    let kept = fs::read_to_string(humdrum.path("r/suite/workload.toml")).expect("kept");
    let data = format!("data = \"{}\"\n", humdrum.path("prod.dump").canonicalize().expect("there").display());
    assert!(kept.starts_with(&data) || kept.contains(&format!("\n{data}")), "{kept}");
    assert!(kept.contains("on_restore_error = \"skip\"\n"), "{kept}");
    humdrum.exits(0, &["extend", "r", "--budget", "60s", "--quiet"]);
    fs::write(humdrum.path("prod.dump"), DUMP.replace("3\tc", "3\td")).expect("written");
    let refused = text_of(&humdrum.exits(2, &["extend", "r"]).stderr);
    assert!(refused.contains("was changed since `shop` was measured"), "{refused}");
    fs::remove_file(humdrum.path("prod.dump")).expect("removed");
    let refused = text_of(&humdrum.exits(2, &["extend", "r"]).stderr);
    assert!(refused.contains("prod.dump: No such file"), "{refused}");
}

#[test]
fn a_dump_may_be_named_in_the_folder_and_be_packed() {
    let humdrum = with_dump();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(DUMP.as_bytes()).expect("written");
    let packed = packed.finish().expect("ended");
    fs::write(humdrum.path("shop/prod.dump.gz"), &packed).expect("written");
    let workload = fs::read_to_string(humdrum.path("shop/workload.toml")).expect("read");
    write(&humdrum, "workload.toml", &format!("data = \"prod.dump.gz\"\n{workload}"));
    let told = text_of(&humdrum.exits(0, &["suite", "check", "./shop", "fake@1.0"]).stdout);
    assert!(told.contains("fake@1.0: 3 rows"), "{told}");
    fs::write(humdrum.path("shop/prod.dump.gz"), &packed[..packed.len() - 20]).expect("written");
    refused(&humdrum, &["suite", "check", "./shop", "fake@1.0"], "the dump is cut off or damaged");
}

/// The dump with statistics, as pg_dump writes them from release 18 on.
fn with_statistics() -> Humdrum {
    let humdrum = with_dump();
    let set = "SELECT * FROM pg_catalog.pg_restore_relation_stats(\n\t'relname', 'products'\n);\n\n";
    let dump = DUMP.replacen(
        "--\n-- PostgreSQL database dump complete",
        &format!("{set}--\n-- PostgreSQL database dump complete"),
        1,
    );
    fs::write(humdrum.path("prod.dump"), dump).expect("written");
    humdrum
}

#[test]
fn statistics_of_a_dump_are_imported_where_all_subjects_take_them() {
    let humdrum = with_statistics();
    let given = ["--suite", "./shop", "--data", "prod.dump", "--budget", "60s"];
    let kept = |out: &str, subjects: [&str; 2]| {
        let compare = [&["compare"], &subjects[..], &given, &["--out", out, "--progress", "plain"]].concat();
        let said = text_of(&humdrum.exits(0, &compare).stderr);
        let kept = fs::read_to_string(humdrum.path(out).join("suite/workload.toml")).expect("kept");
        (kept.contains("statistics = \"import\"\n"), said.contains("statistics of the dump are not imported"))
    };
    assert_eq!(kept("some", ["fake@1.0", "fake@1.1"]), (false, true));
    assert_eq!(kept("all", ["a=fake@1.1", "b=fake@1.1"]), (true, false));
    humdrum.exits(0, &["extend", "all", "--budget", "60s", "--quiet"]);
    let workload = fs::read_to_string(humdrum.path("shop/workload.toml")).expect("read");
    write(&humdrum, "workload.toml", &format!("statistics = \"renew\"\n{workload}"));
    assert_eq!(kept("renewed", ["a=fake@1.1", "b=fake@1.1"]), (false, true));
}

#[test]
fn statistics_that_cannot_be_imported_are_refused_with_their_line() {
    let check = ["suite", "check", "./shop", "fake@1.0", "--data", "prod.dump"];
    let place = "./shop/workload.toml:1:14: ";
    for (word, dump, wanted) in [
        ("import", true, "not every subject takes statistics from a dump"),
        ("import", false, "the dump has no statistics"),
        ("sometimes", true, "`sometimes` is no way to get statistics"),
    ] {
        let humdrum = if dump { with_statistics() } else { with_dump() };
        let workload = fs::read_to_string(humdrum.path("shop/workload.toml")).expect("read");
        write(&humdrum, "workload.toml", &format!("statistics = \"{word}\"\n{workload}"));
        refused(&humdrum, &check, &format!("{place}{wanted}"));
    }
    let humdrum = described();
    write(&humdrum, "workload.toml", &format!("statistics = \"renew\"\n{WORKLOAD}"));
    refused(&humdrum, &["suite", "check", "./shop"], "nothing is restored, so that `renew` says nothing");
}

#[test]
fn what_cannot_be_restored_is_told_before_any_server_starts() {
    let compare = ["compare", "fake@1.0", "fake@1.1", "--suite", "./shop", "--out", "r", "--data"];
    for (end, wanted) in [
        (
            DUMP.find("3\tc").expect("a row"),
            "prod.dump:8:1: the dump is cut off or damaged: the rows of this COPY",
        ),
        (
            DUMP.find("name text").expect("a table"),
            "prod.dump:6:1: the dump is cut off or damaged: the last statement",
        ),
        (DUMP.find(" complete").expect("an end"), "the dump is cut off or damaged: the comment that ends it"),
    ] {
        let humdrum = with_dump();
        fs::write(humdrum.path("prod.dump"), &DUMP[..end]).expect("written");
        refused(&humdrum, &[&compare[..], &["prod.dump"]].concat(), wanted);
        assert!(!humdrum.path("r").exists(), "{wanted}");
    }
    let humdrum = with_dump();
    fs::write(humdrum.path("tar"), b"PGDMP\x01\x0e\x00\x04\x08\x03").expect("written");
    fs::write(humdrum.path("new"), b"PGDMP\x01\x7f\x00\x04\x08\x01").expect("written");
    refused(&humdrum, &[&compare[..], &["tar"]].concat(), "this is neither plain nor custom");
    refused(
        &humdrum,
        &[&compare[..], &["new"]].concat(),
        "this version of pg_dump's format, 1.127, is not known",
    );
    refused(&humdrum, &[&compare[..], &["none.dump"]].concat(), "--data: none.dump: No such file");
    refused(&humdrum, &[&compare[..], &["shop"]].concat(), "it is a folder");
    let odd = ["prod.dump", "--on-restore-error", "retry"];
    refused(&humdrum, &[&compare[..], &odd].concat(), "`retry` is nothing to do when a release refuses");
    let bare = ["compare", "fake@1.0", "fake@1.1", "--data", "prod.dump"];
    refused(&humdrum, &bare, "a dump is restored for a workload of your own alone");
    let described = described();
    fs::write(described.path("prod.dump"), DUMP).expect("written");
    refused(&described, &[&compare[..], &["prod.dump"]].concat(), "rows are described here");
}
