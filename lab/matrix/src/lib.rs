//! Contains only tests: every test of every suite on every engine, at a tiny scale. The same operations must
//! give the same answers and leave the same data, whichever engine and release. `tests/` has a file for each
//! suite.
