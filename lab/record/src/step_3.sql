-- From schema 2 to 3: whole steps.
CREATE TABLE step (
    id      INTEGER PRIMARY KEY,
    test    TEXT NOT NULL,
    session INTEGER NOT NULL,
    subject INTEGER NOT NULL,
    wall_ns INTEGER NOT NULL,
    target  REAL,
    streams TEXT NOT NULL
);
