-- The rate of an imported run over its time.
CREATE TABLE run_rates (
    id      INTEGER PRIMARY KEY,
    test    TEXT NOT NULL,
    session INTEGER NOT NULL,
    subject INTEGER NOT NULL,
    points  TEXT NOT NULL       -- JSON: [{"seconds", "rate"}, ...], an interval each; seconds at its end
);
