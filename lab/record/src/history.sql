-- What runs on this host found, since schema 1: one row for each test of each pair of subjects of each run.
-- PRAGMA application_id is 0x68756868 ("huhh"); PRAGMA user_version is the schema's number.
CREATE TABLE entry (
    run        TEXT NOT NULL,
    started    TEXT NOT NULL,   -- UTC, RFC 3339
    generation TEXT NOT NULL,   -- of the host's processor
    engine     TEXT NOT NULL,
    class      TEXT NOT NULL,   -- of tests that share a between-run variance
    test       TEXT NOT NULL,
    pair       TEXT NOT NULL,   -- what was compared
    ln_ratio   REAL NOT NULL,
    se         REAL NOT NULL,   -- standard error of ln_ratio within the run
    PRIMARY KEY (run, pair, test)
) WITHOUT ROWID;

CREATE INDEX entry_of_class ON entry (generation, engine, class);
