//! What was measured of a step: counts, histograms and seconds, by kind of statement.

use humdrum_model::{Second, StepFacts, Stream};

use crate::latency::Latencies;

const SECOND_NS: u64 = 1_000_000_000;

/// One kind of statement.
pub(crate) struct StreamTally {
    pub(crate) statements: u64,
    pub(crate) rows: u64,
    pub(crate) retries: u64,
    service_ns: u64,
    service: Latencies,
    /// Response times of statements with intended times. For others the response time is the service time.
    response: Latencies,
    seconds: Vec<Second>,
}

/// One statement.
pub(crate) struct Seen {
    /// In the subject's own time, which includes its earlier chunks, ns.
    pub(crate) ended_ns: u64,
    pub(crate) service_ns: u64,
    /// From the intended start, where there is one.
    pub(crate) response_ns: Option<u64>,
    pub(crate) rows: u64,
}

impl Default for StreamTally {
    fn default() -> Self {
        Self {
            statements: 0,
            rows: 0,
            retries: 0,
            service_ns: 0,
            service: Latencies::new(),
            response: Latencies::new(),
            seconds: Vec::new(),
        }
    }
}

impl StreamTally {
    pub(crate) fn record(&mut self, seen: &Seen) {
        self.statements += 1;
        self.rows += seen.rows;
        self.service_ns += seen.service_ns;
        self.service.record(seen.service_ns);
        if let Some(response_ns) = seen.response_ns {
            self.response.record(response_ns);
        }
        let longest_ns = seen.response_ns.unwrap_or(seen.service_ns);
        let one = Second { statements: 1, rows: seen.rows, longest_ns };
        self.add_second((seen.ended_ns / SECOND_NS) as usize, &one);
    }

    fn add_second(&mut self, at: usize, more: &Second) {
        if self.seconds.len() <= at {
            self.seconds.resize(at + 1, Second::default());
        }
        let second = &mut self.seconds[at];
        second.statements += more.statements;
        second.rows += more.rows;
        second.longest_ns = second.longest_ns.max(more.longest_ns);
    }

    fn add(&mut self, other: &Self) {
        self.statements += other.statements;
        self.rows += other.rows;
        self.service_ns += other.service_ns;
        self.service.add(&other.service);
        self.response.add(&other.response);
        for (at, second) in other.seconds.iter().enumerate().filter(|(_, second)| second.statements > 0) {
            self.add_second(at, second);
        }
    }

    fn stream(&self, name: &str) -> Option<Stream> {
        let (service, mut response) = (self.service.buckets(), self.response.buckets());
        if response.is_empty() {
            response.clone_from(&service);
        }
        (self.statements > 0).then(|| Stream {
            name: name.to_owned(),
            statements: self.statements,
            rows: self.rows,
            retries: self.retries,
            service_ns: self.service_ns,
            service,
            response,
            seconds: self.seconds.clone(),
        })
    }
}

/// All kinds.
#[derive(Default)]
pub(crate) struct StepTally {
    pub(crate) insert: StreamTally,
    pub(crate) delete: StreamTally,
    pub(crate) query: StreamTally,
    pub(crate) look_up: StreamTally,
    /// Nanoseconds of all chunks so far.
    pub(crate) wall_ns: u64,
}

impl StepTally {
    /// Rows that writers changed: equal wherever the work was equal.
    pub(crate) fn rows_changed(&self) -> u64 {
        self.insert.rows + self.delete.rows
    }

    /// Adds a chunk that lasted `wall_ns`.
    pub(crate) fn add(&mut self, chunk: Self, wall_ns: u64) {
        self.merge(&chunk);
        self.wall_ns += wall_ns;
    }

    /// Adds what another thread or another chunk measured. Both are in the subject's own time.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.insert.add(&other.insert);
        self.delete.add(&other.delete);
        self.query.add(&other.query);
        self.look_up.add(&other.look_up);
    }

    pub(crate) fn facts(&self) -> StepFacts {
        let streams = [
            self.insert.stream("insert"),
            self.delete.stream("delete"),
            self.query.stream("query"),
            self.look_up.stream("look-up"),
        ];
        let streams = streams.into_iter().flatten().collect();
        StepFacts { wall_ns: self.wall_ns, streams, ..StepFacts::default() }
    }
}

/// The measurements of a chunk.
#[derive(Default)]
pub(crate) struct ChunkSeen {
    pub(crate) tally: StepTally,
    pub(crate) cpu_ns: u64,
    pub(crate) fault: Option<humdrum_model::Fault>,
}

impl ChunkSeen {
    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.tally.merge(&other.tally);
        self.cpu_ns += other.cpu_ns;
        self.fault = self.fault.or(other.fault);
        self
    }
}
