//! The table of engines.
