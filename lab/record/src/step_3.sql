-- From schema 2 to 3: looks at tests that moved, query plans, and whole steps.
CREATE TABLE look (
    id         INTEGER PRIMARY KEY,
    test       TEXT NOT NULL,
    round      INTEGER NOT NULL,
    subject    INTEGER NOT NULL,
    operations INTEGER NOT NULL,
    wall_ns    INTEGER NOT NULL,
    counters   TEXT NOT NULL,
    samples    INTEGER NOT NULL,
    waits      TEXT NOT NULL
);

CREATE TABLE query_plan (
    id        INTEGER PRIMARY KEY,
    test      TEXT NOT NULL,
    subject   INTEGER NOT NULL,
    statement TEXT NOT NULL,
    lines     TEXT NOT NULL
);

CREATE TABLE step (
    id      INTEGER PRIMARY KEY,
    test    TEXT NOT NULL,
    session INTEGER NOT NULL,
    subject INTEGER NOT NULL,
    wall_ns INTEGER NOT NULL,
    target  REAL,
    streams TEXT NOT NULL
);
