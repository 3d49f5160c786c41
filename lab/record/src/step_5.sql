-- From schema 4 to 5: readings of the calibration kernel beside the blocks.
CREATE TABLE host_reading (
    id         INTEGER PRIMARY KEY,
    test       TEXT NOT NULL,
    session    INTEGER NOT NULL,
    integer_ns REAL NOT NULL,
    memory_ns  REAL NOT NULL,
    call_ns    REAL NOT NULL,
    off        TEXT
);
