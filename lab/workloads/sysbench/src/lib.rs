//! The sysbench microbenchmarks.
