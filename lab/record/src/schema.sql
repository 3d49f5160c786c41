-- The results file of humdrum, schema 7. The sqlite3 shell is enough to read it.
--
-- PRAGMA application_id is 0x68756d64 ("humd"); PRAGMA user_version is the schema's number.
-- Names carry their unit last. Times of day are UTC. Columns that hold JSON say so.
-- Integers are 64 bits; a count beyond 2^63 (none is expected) would show as a negative number.

-- One value each:
--   tool         what wrote the file (`humdrum 0.1.0`)
--   started      when the run began, RFC 3339
--   seconds      how long it took, interruptions left out
--   finished     1 once the run came to its end
--   aa_floor     95th percentile of |ln ratio| between equal subjects on this host; absent if unknown
--   plan, host   JSON: the whole plan and the host's facts
--   shards       JSON: numbers; only in merged results, whose measurements are in `shards/NUMBER/results.sqlite` of their folder
--   judgement    JSON: only in finished shards: what verdicts need of one, by which rules it was made, and the id of the last block then
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- The metrics of a slice's readings: reading 0 belongs to position 0, and so on.
CREATE TABLE metric (
    position    INTEGER PRIMARY KEY,
    name        TEXT NOT NULL,
    unit        TEXT NOT NULL,
    better      TEXT NOT NULL,   -- JSON: "more", "less" or "neither"
    kind        TEXT NOT NULL,   -- JSON: "counter" (difference over the slice) or "gauge" (at its end)
    description TEXT NOT NULL
);

-- What was compared; position 0 is the base.
CREATE TABLE subject (
    position    INTEGER PRIMARY KEY,
    label       TEXT NOT NULL,
    typed       TEXT NOT NULL,              -- ENGINE@WHERE[+SETTING]...
    version     TEXT NOT NULL DEFAULT '',   -- as the server itself states it
    origin      TEXT NOT NULL DEFAULT '',   -- where the build came from, and its checksum
    build       TEXT NOT NULL DEFAULT '[]', -- JSON: compiler, flags, remarks
    fingerprint TEXT NOT NULL DEFAULT '',   -- equal for two subjects exactly when they are the same
    link        TEXT                        -- JSON: how a server that was running before is reached; NULL for others
);

-- Settings of a subject. given = 1: set by the lab or the user, in the order of position; 0: in effect.
CREATE TABLE setting (
    subject  INTEGER NOT NULL,
    given    INTEGER NOT NULL,
    position INTEGER NOT NULL,
    name     TEXT NOT NULL,
    value    TEXT NOT NULL,
    PRIMARY KEY (subject, given, position)
) WITHOUT ROWID;

-- The tests of the plan, in its order.
CREATE TABLE test (
    position   INTEGER PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE,
    "group"    TEXT NOT NULL,
    operation  TEXT NOT NULL,      -- what one operation is
    statements INTEGER NOT NULL,   -- operations that the clock counts per call of the client
    writes     INTEGER NOT NULL,
    long       INTEGER NOT NULL
);

-- Calls of a slice, all clients together; the same for every subject and session.
CREATE TABLE calibration (
    test             TEXT PRIMARY KEY,
    operations       INTEGER NOT NULL,
    guard_operations INTEGER NOT NULL,  -- run first and not counted
    blocks           INTEGER NOT NULL   -- blocks in a session of ordinary length
);

-- Data as loaded; a row per load of a subject, in the order in which they ended.
CREATE TABLE load (
    id       INTEGER PRIMARY KEY,
    subject  INTEGER NOT NULL,
    rows     INTEGER NOT NULL,
    checksum TEXT NOT NULL,
    bytes    INTEGER NOT NULL,
    seconds  REAL NOT NULL
);

-- Sessions begun.
CREATE TABLE session (
    number    INTEGER PRIMARY KEY,
    stage     TEXT NOT NULL,      -- JSON: "screening", "confirmation" or "slice-check"
    restarted INTEGER NOT NULL,
    reloaded  INTEGER NOT NULL,
    tests     TEXT NOT NULL,      -- JSON: names, in the order in which they ran
    stretch   REAL NOT NULL,      -- blocks per test, as a multiple of the calibration's
    ageing    TEXT NOT NULL,      -- JSON: those of `tests` that only aged the tables and were not recorded
    subjects  TEXT NOT NULL DEFAULT '[]'  -- JSON: positions of the subjects that take part; empty where all do
);

-- A block: one slice of each subject, back to back, on the same work. Committed when it ends.
CREATE TABLE block (
    id        INTEGER PRIMARY KEY,   -- ascending in the order in which blocks ended
    test      TEXT NOT NULL,
    session   INTEGER NOT NULL,
    "index"   INTEGER NOT NULL,      -- within (test, session), from 0
    discarded TEXT,                  -- why a rule declared beforehand discards it; NULL for most
    UNIQUE (test, session, "index")
);

-- One subject's share of a block; position is its turn.
CREATE TABLE slice (
    block            INTEGER NOT NULL,
    position         INTEGER NOT NULL,
    subject          INTEGER NOT NULL,
    start_ns         INTEGER NOT NULL,   -- since the run began
    wall_ns          INTEGER NOT NULL,   -- counted operations only
    operations       INTEGER NOT NULL,   -- counted calls of the client
    guard_operations INTEGER NOT NULL,
    rows             INTEGER NOT NULL,   -- returned or changed by counted operations
    client_cpu_ns    INTEGER NOT NULL,   -- guard and counted operations
    readings         TEXT NOT NULL,      -- JSON: one number per metric, by position
    quarter_ns       TEXT,               -- JSON: when a quarter, a half, three quarters of the operations had ended
    blamed           INTEGER NOT NULL DEFAULT 0,   -- a rule blames something in this slice on the host
    idle_ns          INTEGER,            -- in which a client had not begun or had ended, mean over clients; NULL with one
    scripts          TEXT,               -- JSON, of a mix: operations and nanoseconds of each script; else NULL
    PRIMARY KEY (block, position)
) WITHOUT ROWID;

-- Latencies of one subject in one (test, session); each interruption adds a row.
CREATE TABLE latency (
    test    TEXT NOT NULL,
    session INTEGER NOT NULL,
    subject INTEGER NOT NULL,
    buckets TEXT NOT NULL    -- JSON: [[highest ns in the bucket, count], ...], ascending
);

-- Fingerprints of a subject's data around a test that writes.
CREATE TABLE state (
    id         INTEGER PRIMARY KEY,
    test       TEXT NOT NULL,
    session    INTEGER NOT NULL,
    subject    INTEGER NOT NULL,
    moment     TEXT NOT NULL,   -- JSON: "before" the test, "after" it, or "paid": after what was owed was paid
    rows       INTEGER,         -- over all tables; NULL where contents were not summed
    checksum   TEXT,            -- by the server's own arithmetic
    quantities TEXT NOT NULL    -- JSON: [{"name", "unit", "description", "value"}, ...]
);

-- A subject's debt after a test that writes, measured by having it pay at once while the others are frozen.
CREATE TABLE debt (
    id         INTEGER PRIMARY KEY,
    test       TEXT NOT NULL,
    session    INTEGER NOT NULL,
    subject    INTEGER NOT NULL,
    operations INTEGER NOT NULL,   -- calls of the client since the last payment, uncounted ones included
    wall_ns    INTEGER NOT NULL,   -- how long paying took
    readings   TEXT NOT NULL       -- JSON: one number per metric, by position, over the payment
);

-- An examination: one subject in one round over a test that moved, with new connections, outside all blocks.
CREATE TABLE look (
    id         INTEGER PRIMARY KEY,
    test       TEXT NOT NULL,
    round      INTEGER NOT NULL,
    subject    INTEGER NOT NULL,
    operations INTEGER NOT NULL,   -- calls of the client between the two readings of the counters
    wall_ns    INTEGER NOT NULL,   -- of the calls that were watched
    counters   TEXT NOT NULL,      -- JSON: [{"name", "delta"}, ...], the engine's own counters
    samples    INTEGER NOT NULL,   -- sessions seen, all samples together
    waits      TEXT NOT NULL       -- JSON: [{"kind", "event", "samples"}, ...], what they were seen at
);

-- How a subject's server plans to run one statement of a test, asked at the end of the run.
CREATE TABLE query_plan (
    id        INTEGER PRIMARY KEY,
    test      TEXT NOT NULL,
    subject   INTEGER NOT NULL,
    statement TEXT NOT NULL,
    lines     TEXT NOT NULL        -- JSON: the plan in the engine's own words
);

-- A statement whose plan differs between subjects, run once on one subject at the end of the run.
CREATE TABLE plan_run (
    id        INTEGER PRIMARY KEY,
    test      TEXT NOT NULL,
    subject   INTEGER NOT NULL,
    statement TEXT NOT NULL,
    rows      TEXT NOT NULL        -- JSON: {"told": [line, ...]}, or {"not-told": why}
);

-- Facts of a whole step beside its blocks.
CREATE TABLE step (
    id      INTEGER PRIMARY KEY,
    test    TEXT NOT NULL,
    session INTEGER NOT NULL,
    subject INTEGER NOT NULL,
    wall_ns INTEGER NOT NULL,   -- of the subject's own turns
    target  REAL,               -- rows per second that its writers were to insert; NULL where they were not paced
    streams TEXT NOT NULL       -- JSON: by kind of statement: counts, histograms, seconds
);

-- Readings of the calibration kernel, before and after the blocks of a test in a session; nanoseconds per step.
CREATE TABLE host_reading (
    id         INTEGER PRIMARY KEY,
    test       TEXT NOT NULL,
    session    INTEGER NOT NULL,
    integer_ns REAL NOT NULL,      -- of a loop of integer arithmetic
    memory_ns  REAL NOT NULL,      -- of a random walk through 64 MB
    call_ns    REAL NOT NULL,      -- of a byte sent to another thread and back
    off        TEXT                -- which limit it breaks; NULL for a usual one
);

-- The rate of an imported run over its time.
CREATE TABLE run_rates (
    id      INTEGER PRIMARY KEY,
    test    TEXT NOT NULL,
    session INTEGER NOT NULL,
    subject INTEGER NOT NULL,
    points  TEXT NOT NULL       -- JSON: [{"seconds", "rate"}, ...], an interval each; seconds at its end
);

-- Failures and other facts. A failed measurement is a row, not the end of the run.
CREATE TABLE event (
    id       INTEGER PRIMARY KEY,
    subject  INTEGER,
    test     TEXT,
    session  INTEGER,
    status   TEXT NOT NULL,   -- JSON: "ok", "failed", "wrong-answer", "not-steady" or "sla-missed"
    what     TEXT NOT NULL,
    log_tail TEXT
);

-- For people: calls per second of every slice, with the subject's label.
CREATE VIEW slice_rate AS
SELECT block.test, block.session, block."index", subject.label,
       slice.operations * 1e9 / slice.wall_ns AS calls_per_second, block.discarded
FROM slice
JOIN block ON block.id = slice.block
JOIN subject ON subject.position = slice.subject;
