-- What selftests on this host found, since schema 2: the verdicts of one run on the tests of one scope, counted.
CREATE TABLE selftest (
    run              TEXT NOT NULL,
    started          TEXT NOT NULL,      -- UTC, RFC 3339
    tool             TEXT NOT NULL,      -- version of humdrum
    seed             TEXT NOT NULL,
    generation       TEXT NOT NULL,      -- of the host's processor
    engine           TEXT NOT NULL,
    class            TEXT NOT NULL,      -- of tests
    clients          INTEGER NOT NULL,   -- threads per subject
    injected         REAL NOT NULL,      -- share of operations done twice; 0: equal subjects
    seconds_per_test REAL NOT NULL,      -- the run's budget divided by its tests
    verdicts         INTEGER NOT NULL,
    regressions      INTEGER NOT NULL,
    wrong            INTEGER NOT NULL,   -- verdicts that claim what is known to be false
    PRIMARY KEY (run, injected, engine, class, clients, generation)
) WITHOUT ROWID;
