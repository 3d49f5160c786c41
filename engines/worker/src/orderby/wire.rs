//! The messages between the lab and a worker, as JSON. A worker may have been built by itself, so it tells its protocol.

use humdrum_contract::{OrderBatch, OrderColumn, OrderDone, OrderKey, OrderMade, OrderQuery, OrderTable};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// The number of these messages, of the table and of its hash: it changes with any of them.
pub const PROTOCOL: u32 = 1;

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each is a method of `OrderSession`, with its arguments")]
pub enum Request {
    Hello,
    Make { rows: u64, seed: u64 },
    Choose(Query),
    Run { count: u64, checked: bool },
    Stop,
}

/// A query, with the names of columns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Query {
    columns: Vec<String>,
    keys: Vec<(String, bool)>,
    limit: Option<u64>,
    first_row: bool,
    memory_percent: Option<u32>,
}

/// What comes back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply {
    /// It was done.
    Done,
    /// What the worker is.
    Hello {
        /// `PROTOCOL` when it was built.
        protocol: u32,
        /// The thread that serves this connection.
        thread: u32,
        /// The engine's own version.
        version: String,
        /// Settings in force.
        settings: Vec<(String, String)>,
    },
    /// A table was made.
    Made {
        /// Its rows.
        rows: u64,
        /// Bytes of its values.
        bytes: u64,
        /// Their hash.
        checksum: u64,
    },
    /// A batch was run.
    Ran {
        /// Rows returned.
        rows: u64,
        /// Sum of the answers' hashes.
        checksum: u64,
        /// All operations together.
        wall_ns: u64,
        /// One number for each operation.
        latencies_ns: Vec<u64>,
    },
    /// What the engine says.
    Refused(String),
    /// What is wrong with an answer.
    Wrong(String),
}

/// A message as bytes.
///
/// # Panics
/// Never: messages are plain data.
pub fn encode(message: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(message).expect("plain data with text keys")
}

/// The message of some bytes.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    serde_json::from_slice(bytes).ok()
}

impl From<&OrderTable> for Request {
    fn from(table: &OrderTable) -> Self {
        Self::Make { rows: table.rows, seed: table.seed }
    }
}

impl From<&OrderBatch> for Request {
    fn from(batch: &OrderBatch) -> Self {
        Self::Run { count: batch.count, checked: batch.checked }
    }
}

impl From<OrderMade> for Reply {
    fn from(made: OrderMade) -> Self {
        Self::Made { rows: made.rows, bytes: made.bytes, checksum: made.checksum }
    }
}

impl Reply {
    pub(super) fn ran(done: OrderDone, latencies_ns: Vec<u64>) -> Self {
        Self::Ran { rows: done.rows, checksum: done.checksum, wall_ns: done.wall_ns, latencies_ns }
    }
}

impl From<&OrderQuery> for Query {
    fn from(query: &OrderQuery) -> Self {
        let name = |column: OrderColumn| column.name().to_owned();
        Self {
            columns: query.columns.iter().copied().map(name).collect(),
            keys: query.keys.iter().map(|key| (name(key.column), key.descending)).collect(),
            limit: query.limit,
            first_row: query.first_row,
            memory_percent: query.memory_percent,
        }
    }
}

impl TryFrom<Query> for OrderQuery {
    type Error = String;

    fn try_from(query: Query) -> Result<Self, String> {
        let column = |name: &String| {
            let found = OrderColumn::ALL.into_iter().find(|column| column.name() == name);
            found.ok_or_else(|| format!("there is no column `{name}`"))
        };
        let key = |(name, descending): &(String, bool)| -> Result<OrderKey, String> {
            Ok(OrderKey { column: column(name)?, descending: *descending })
        };
        Ok(Self {
            columns: query.columns.iter().map(column).collect::<Result<_, _>>()?,
            keys: query.keys.iter().map(key).collect::<Result<_, String>>()?,
            limit: query.limit,
            first_row: query.first_row,
            memory_percent: query.memory_percent,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query() -> OrderQuery {
        OrderQuery {
            columns: OrderColumn::ALL.to_vec(),
            keys: vec![OrderKey { column: OrderColumn::Seen, descending: true }],
            limit: Some(u64::MAX),
            first_row: true,
            memory_percent: Some(25),
        }
    }

    #[test]
    fn messages_come_back_as_they_went() {
        let requests = [
            Request::Hello,
            Request::from(&OrderTable { rows: u64::MAX, seed: 7 }),
            Request::Choose((&query()).into()),
            Request::from(&OrderBatch { count: 3, checked: true }),
            Request::Stop,
        ];
        for request in requests {
            assert_eq!(decode::<Request>(&encode(&request)), Some(request));
        }
        let replies = [
            Reply::Done,
            Reply::Hello {
                protocol: PROTOCOL,
                thread: 4,
                version: "1".into(),
                settings: vec![("a".into(), "b".into())],
            },
            OrderMade { rows: 1, bytes: 2, checksum: u64::MAX }.into(),
            Reply::ran(OrderDone { rows: 1, checksum: u64::MAX, wall_ns: 3 }, vec![1, 2]),
            Reply::Refused("no".into()),
            Reply::Wrong("row 3".into()),
        ];
        for reply in replies {
            assert_eq!(decode::<Reply>(&encode(&reply)), Some(reply));
        }
        assert_eq!(decode::<Request>(b"{\"Run\":1}"), None);
    }

    #[test]
    fn queries_come_back_as_they_went_and_unknown_columns_are_told() {
        assert_eq!(OrderQuery::try_from(Query::from(&query())), Ok(query()));
        let odd = Query { columns: vec!["colour".into()], ..Query::from(&query()) };
        assert!(OrderQuery::try_from(odd).expect_err("unknown").contains("colour"));
    }
}
