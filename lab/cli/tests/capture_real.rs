//! `humdrum capture URL` on real servers: weights, times and values are those of what ran, and the folder runs on a server.

mod common;

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use common::{Humdrum, text_of};
use humdrum_contract::{Interrupt, Param, ParamType, Server, SqlSession};
use humdrum_engine_kit::testing::{PATIENCE, Rig, SIZING, session, value};
use humdrum_model::Setting;
use humdrum_provision::dirs::{self, Surroundings};
use humdrum_provision::run_folder::RunFolder;
use serde_json::Value;

const SCHEMA: &str = "CREATE TABLE digits (d int NOT NULL);\n\
    CREATE TABLE customers (id int PRIMARY KEY, name varchar(40) NOT NULL, age int);\n\
    CREATE TABLE orders (id int PRIMARY KEY, customer int NOT NULL, day date, amount decimal(10,2), note varchar(40));\n";
const LOAD: &str = "INSERT INTO digits VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9);\n\
    INSERT INTO customers SELECT 1 + a.d + 10 * b.d + 100 * c.d, concat('customer ', 1 + a.d + 10 * b.d + 100 * c.d), 20 + a.d \
    FROM digits a, digits b, digits c;\n\
    INSERT INTO orders SELECT 10 * id, id, '2026-01-15', 12.50, concat('note ', id) FROM customers;\n";

/// A server of ours with tables, and what runs on it until this is dropped.
struct Shop {
    _rig: Rig,
    server: Box<dyn Server>,
    url: String,
    stop: Arc<AtomicBool>,
    busy: Option<JoinHandle<u64>>,
}

impl Shop {
    fn open(engine: &str, version: &str, settings: &[Setting]) -> Self {
        let engine =
            humdrum_engines::table().into_iter().find(|one| one.name() == engine).expect("an engine");
        let dirs = dirs::find(&Surroundings::read(), true, &Interrupt::new()).expect("folders");
        let run = RunFolder::new(&dirs).expect("run folder");
        let rig = Rig { engine, dirs, run, sizing: SIZING };
        let mut server = rig.create("server", version, settings).expect("made");
        server.start().unwrap_or_else(|fault| panic!("{fault} {:?}", fault.log_tail));
        let url = server.how_to_connect().lines().last().expect("a URL").trim().to_owned();
        let mut control = session(&*server);
        for statement in SCHEMA.lines().chain(LOAD.lines()).filter(|line| !line.is_empty()) {
            control.query(statement).expect(statement);
        }
        Self { _rig: rig, server, url, stop: Arc::default(), busy: None }
    }

    /// Runs look-ups, ranges, updates and inserts in a ratio of 6 to 2 to 1 to 1.
    fn run(&mut self, placeholder: Option<&'static str>) {
        let mut session = session(&*self.server);
        let stop = Arc::clone(&self.stop);
        self.busy = Some(std::thread::spawn(move || work(&mut *session, &stop, placeholder)));
    }

    fn stop(&mut self) -> u64 {
        self.stop.store(true, Ordering::SeqCst);
        self.busy.take().map_or(0, |busy| busy.join().expect("statements ran"))
    }
}

impl Drop for Shop {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Look-ups are prepared if there is a placeholder; the others are texts with their values. Returns the number of rounds.
fn work(session: &mut dyn SqlSession, stop: &AtomicBool, placeholder: Option<&str>) -> u64 {
    session.set_timeout(PATIENCE).expect("a timeout");
    let look_up = |id: &str| format!("SELECT name FROM customers WHERE id = {id}");
    let prepared = placeholder.map(|placeholder| session.prepare(&look_up(placeholder), &[ParamType::Int]));
    let prepared = prepared.transpose().expect("prepared");
    let mut rounds = 0;
    while !stop.load(Ordering::SeqCst) {
        for number in 0..6 {
            let id = (7 * rounds + number) % 1000 + 1;
            let ran = match prepared {
                Some(prepared) => session.run(prepared, &[Param::Int(id as i32)]),
                None => session.run_text(&look_up(&id.to_string())),
            };
            ran.expect("a look-up");
        }
        for number in 0..2 {
            let from = (11 * rounds + number) % 900 + 1;
            let sql = format!(
                "SELECT o.id, c.name FROM orders o JOIN customers c ON c.id = o.customer \
                 WHERE c.id BETWEEN {from} AND {} ORDER BY o.id",
                from + 19
            );
            session.run_text(&sql).expect("a range");
        }
        let id = rounds % 1000 + 1;
        session
            .run_text(&format!("UPDATE customers SET age = {} WHERE id = {id}", 20 + rounds % 50))
            .expect("an update");
        let new = 100_000 + rounds;
        session
            .run_text(&format!("INSERT INTO orders (id, customer, day, amount, note) VALUES ({new}, {id}, '2026-02-01', 1.5, 'new')"))
            .expect("an insert");
        rounds += 1;
        std::thread::sleep(Duration::from_millis(1));
    }
    rounds
}

/// Captures while statements run, and checks what is found.
fn captured(humdrum: &Humdrum, shop: &Shop, more: &[&str]) -> Value {
    let args = [&["capture", &*shop.url, "-o", "shop", "--json", "found.json"], more].concat();
    let told = text_of(&humdrum.exits(0, &args).stdout);
    let json: Value =
        serde_json::from_str(&fs::read_to_string(humdrum.path("found.json")).expect("JSON")).expect("JSON");
    for (name, share) in
        [("select-customers", 0.6), ("select-orders", 0.2), ("update-customers", 0.1), ("insert-orders", 0.1)]
    {
        let tests = json["tests"].as_array().expect("tests");
        let test =
            tests.iter().find(|test| test["name"] == name).unwrap_or_else(|| panic!("no {name}: {told}"));
        let weight = test["weight"].as_f64().expect("a weight");
        assert!((weight - share).abs() < 0.02, "{name}: {weight}\n{told}");
        assert!(test["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0), "{test}");
    }
    assert!(!told.contains("humdrum_sample"), "{told}");
    json
}

fn read(humdrum: &Humdrum, name: &str) -> String {
    fs::read_to_string(humdrum.path("shop").join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The folder, with the tables of the server, runs on one.
fn runs(humdrum: &Humdrum, subject: &str) {
    fs::write(humdrum.path("shop/schema.sql"), SCHEMA).expect("written");
    fs::write(humdrum.path("shop/load.sql"), LOAD).expect("written");
    humdrum.exits(0, &["suite", "check", "./shop", subject]);
}

fn first_values(humdrum: &Humdrum, name: &str) -> Vec<i64> {
    let csv = read(humdrum, name);
    csv.lines().skip(1).filter_map(|line| line.split(',').next()?.parse().ok()).collect()
}

#[test]
#[ignore = "slow: starts a server"]
fn what_postgres_counts() {
    let humdrum = Humdrum::with_shared_builds();
    let mut shop = Shop::open("postgres", "17.7", &[value("shared_preload_libraries", "pg_stat_statements")]);
    let url = shop.url.clone();
    let told = text_of(&humdrum.exits(2, &["capture", &url, "-o", "shop", "--for", "1s"]).stderr);
    assert!(told.contains("is not installed") && told.contains("run CREATE EXTENSION"), "{told}");
    session(&*shop.server).query("CREATE EXTENSION pg_stat_statements").expect("made");
    let told = text_of(&humdrum.exits(2, &["capture", &url, "-o", "shop", "--for", "300ms"]).stderr);
    assert!(told.contains("no statement that can be replayed ran in the database postgres"), "{told}");
    shop.run(Some("$1"));
    captured(&humdrum, &shop, &["--for", "3s", "--samples", "200"]);
    assert!(shop.stop() > 0);
    let ids = first_values(&humdrum, "select-customers.csv");
    assert!(ids.len() == 200 && ids.iter().all(|id| (1..=1000).contains(id)), "{ids:?}");
    let range = read(&humdrum, "select-orders.sql");
    assert!(range.contains("BETWEEN :id_from AND :id_to") && range.contains("-- id_to: "), "{range}");
    let insert = read(&humdrum, "insert-orders.sql");
    assert!(insert.contains("\\set id random(10") && insert.contains("2147483647)"), "{insert}");
    runs(&humdrum, "postgres@17.7");
    // All since the reset, our own questions not among it.
    fs::remove_dir_all(humdrum.path("shop")).expect("removed");
    humdrum.exits(0, &["capture", &url, "-o", "shop", "--for", "0"]);
    // Nothing was written there.
    let schemas =
        session(&*shop.server).query("SELECT 1 FROM pg_namespace WHERE nspname = 'humdrum'").expect("asked");
    assert!(schemas.is_empty());
    // A user who may not see what others ran.
    let mut control = session(&*shop.server);
    control.query("CREATE ROLE stranger LOGIN PASSWORD 'x'").expect("made");
    let stranger = format!("postgres://stranger:x@/postgres?{}", url.split_once('?').expect("options").1);
    let output = humdrum.run(&["capture", &stranger, "-o", "other", "--for", "0"]);
    let told = text_of(&output.stderr);
    assert!(output.status.code() == Some(2) && told.contains("pg_read_all_stats"), "{told}");
}

/// MariaDB 10.11 counts no runs of prepared statements.
#[test]
#[ignore = "slow: starts servers"]
fn what_mysql_and_mariadb_count() {
    for (engine, version, placeholder) in
        [("mariadb", "10.11.19", None), ("mysql", "9.7", Some("?")), ("mysql", "8.0.33", Some("?"))]
    {
        let humdrum = Humdrum::with_shared_builds();
        let mut shop = Shop::open(engine, version, &[]);
        shop.run(placeholder);
        captured(&humdrum, &shop, &["--for", "3s", "--samples", "200"]);
        assert!(shop.stop() > 0);
        let ids = first_values(&humdrum, "select-customers.csv");
        assert!(ids.len() == 200 && ids.iter().all(|id| (1..=1000).contains(id)), "{ids:?}");
        let insert = read(&humdrum, "insert-orders.sql");
        assert!(insert.contains("\\set id random(10") && insert.contains("2147483647)"), "{insert}");
        runs(&humdrum, &format!("{engine}@{version}"));
        let no_database = shop.url.replace("/humdrum?", "/?");
        let told = text_of(&humdrum.exits(2, &["capture", &no_database, "-o", "other"]).stderr);
        assert!(told.contains("names no database") && told.contains("humdrum"), "{told}");
    }
}

#[test]
#[ignore = "slow: starts servers"]
fn servers_that_do_not_count_say_what_to_change() {
    let humdrum = Humdrum::with_shared_builds();
    let shop = Shop::open("postgres", "17.7", &[]);
    let told = text_of(&humdrum.exits(2, &["capture", &shop.url, "-o", "shop"]).stderr);
    assert!(told.contains("shared_preload_libraries") && told.contains("CREATE EXTENSION"), "{told}");
    let shop = Shop::open("mysql", "8.0.33", &[value("performance_schema", "OFF")]);
    let told = text_of(&humdrum.exits(2, &["capture", &shop.url, "-o", "shop"]).stderr);
    assert!(told.contains("performance_schema = ON"), "{told}");
    assert!(!humdrum.path("shop").exists());
}
