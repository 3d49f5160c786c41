-- From schema 9 to 10: actual rows of statements whose plans differ.
CREATE TABLE plan_run (
    id        INTEGER PRIMARY KEY,
    test      TEXT NOT NULL,
    subject   INTEGER NOT NULL,
    statement TEXT NOT NULL,
    rows      TEXT NOT NULL        -- JSON: {"told": [line, ...]}, or {"not-told": why}
);
