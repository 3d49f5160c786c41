//! Stage 1: command line or TOML to a checked plan and its schedule.
