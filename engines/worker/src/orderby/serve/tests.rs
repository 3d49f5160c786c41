//! The loop of a worker over a toy engine, which sorts its rows as plainly as can be.

use humdrum_contract::{OrderColumn, OrderKey};

use super::*;
use crate::orderby::{Row, Table};

#[derive(Default)]
struct Toy {
    rows: Arc<Mutex<Vec<Row>>>,
    /// It forgets to sort.
    careless: bool,
}

impl Store for Toy {
    fn about(&self) -> Result<About, Trouble> {
        Ok(About { version: "toy 1".into(), settings: Vec::new() })
    }

    fn make(&self, table: OrderTable) -> Result<OrderMade, Trouble> {
        let mut rows = self.rows.lock().expect("alone");
        rows.clear();
        Table::new(table).each(|row| {
            rows.push(row.clone());
            Ok(())
        })
    }

    fn open(&self) -> Result<Box<dyn Queries>, Trouble> {
        Ok(Box::new(ToySession {
            rows: Arc::clone(&self.rows),
            careless: self.careless,
            query: OrderQuery::default(),
        }))
    }
}

struct ToySession {
    rows: Arc<Mutex<Vec<Row>>>,
    careless: bool,
    query: OrderQuery,
}

impl Queries for ToySession {
    fn choose(&mut self, query: &OrderQuery, memory_bytes: Option<u64>) -> Result<(), Trouble> {
        assert_eq!(memory_bytes.is_some(), query.memory_percent.is_some());
        self.query = query.clone();
        Ok(())
    }

    fn run(&mut self, answer: Option<&mut Answer>) -> Result<Timed, Trouble> {
        let rows = self.rows.lock().expect("alone");
        let mut rows: Vec<&Row> = rows.iter().collect();
        if !self.careless {
            rows.sort_by(|one, other| {
                let orders = self.query.keys.iter().map(|key| {
                    let order = one.value(key.column).cmp(&other.value(key.column));
                    if key.descending { order.reverse() } else { order }
                });
                orders.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
            });
        }
        rows.truncate(self.query.limit.unwrap_or(u64::MAX) as usize);
        if let Some(answer) = answer {
            for row in &rows {
                let values: Vec<_> = self.query.columns.iter().map(|column| row.value(*column)).collect();
                answer.take(&values).map_err(Trouble::Wrong)?;
            }
        }
        Ok(Timed { rows: rows.len() as u64, ns: 5 })
    }
}

/// A connection to a worker that serves this very process.
fn connected(careless: bool) -> UnixStream {
    let (ours, theirs) = UnixStream::pair().expect("sockets");
    let store = Arc::new(Toy { careless, ..Toy::default() });
    // Made in the thread that uses it: a session stays where it was opened.
    std::thread::spawn(move || {
        let folder = tempfile::tempdir().expect("folder");
        let note = Note::of(&Orders { folder: folder.path().into(), ..Orders::default() });
        Connection { store, made: Arc::default(), note, session: None }.converse(theirs);
    });
    ours
}

fn ask(stream: &mut UnixStream, request: &Request) -> Reply {
    frames::send(stream, &wire::encode(request)).expect("sent");
    wire::decode(&frames::receive(stream).expect("received")).expect("a reply")
}

fn query(limit: Option<u64>, first_row: bool) -> Request {
    let key = OrderKey { column: OrderColumn::Url, descending: true };
    let columns = vec![OrderColumn::Id, OrderColumn::Url];
    let query = OrderQuery { columns, keys: vec![key], limit, first_row, memory_percent: Some(25) };
    Request::Choose((&query).into())
}

#[test]
fn a_table_is_made_and_queries_run_over_it() {
    let mut stream = connected(false);
    let checked = Request::Run { count: 3, checked: true };
    let hello = ask(&mut stream, &Request::Hello);
    assert!(matches!(hello, Reply::Hello { protocol: PROTOCOL, .. }), "{hello:?}");
    let early = ask(&mut stream, &checked);
    assert_eq!(early, Reply::Refused("no query was chosen yet".into()));
    let made = ask(&mut stream, &Request::Make { rows: 200, seed: 1 });
    assert!(matches!(made, Reply::Made { rows: 200, .. }), "{made:?}");
    assert_eq!(ask(&mut stream, &Request::Make { rows: 200, seed: 1 }), made);
    let mut sums = Vec::new();
    for (limit, first_row, expected) in [(None, false, 600), (Some(10), false, 30), (None, true, 3)] {
        assert_eq!(ask(&mut stream, &query(limit, first_row)), Reply::Done);
        let ran = ask(&mut stream, &checked);
        let Reply::Ran { rows, checksum, wall_ns, latencies_ns } = &ran else { panic!("{ran:?}") };
        assert_eq!((*rows, *wall_ns, &latencies_ns[..]), (expected, 15, &[5, 5, 5][..]));
        assert_eq!(ask(&mut stream, &checked), ran, "the same query has the same answer");
        sums.push(*checksum);
    }
    assert!(sums[0] != sums[1] && sums[1] != sums[2] && !sums.contains(&0), "{sums:?}");
}

#[test]
fn rows_out_of_order_or_missing_are_wrong() {
    let mut stream = connected(true);
    ask(&mut stream, &Request::Make { rows: 50, seed: 1 });
    ask(&mut stream, &query(None, false));
    let unsorted = ask(&mut stream, &Request::Run { count: 1, checked: true });
    assert!(matches!(&unsorted, Reply::Wrong(what) if what.contains("by url")), "{unsorted:?}");
    assert!(matches!(counted(9, false, 10), Err(Trouble::Wrong(what)) if what.contains("9 rows")));
    assert_eq!(counted(2_048, true, 10), Ok(1));
}

#[test]
fn a_share_of_memory_is_never_too_small_to_sort_in() {
    assert_eq!(share(1 << 30, 25), (1 << 30) / 100 * 25);
    assert_eq!(share(100 << 20, 25), MEMORY_LEAST_BYTES);
}
