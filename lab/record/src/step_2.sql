-- From schema 1 to 2: fingerprints and debts of tests that write, and sessions that age their tables.
ALTER TABLE session ADD COLUMN ageing TEXT NOT NULL DEFAULT '[]';

CREATE TABLE state (
    id         INTEGER PRIMARY KEY,
    test       TEXT NOT NULL,
    session    INTEGER NOT NULL,
    subject    INTEGER NOT NULL,
    moment     TEXT NOT NULL,
    rows       INTEGER,
    checksum   TEXT,
    quantities TEXT NOT NULL
);

CREATE TABLE debt (
    id         INTEGER PRIMARY KEY,
    test       TEXT NOT NULL,
    session    INTEGER NOT NULL,
    subject    INTEGER NOT NULL,
    operations INTEGER NOT NULL,
    wall_ns    INTEGER NOT NULL,
    readings   TEXT NOT NULL
);
