//! Stage 5: the results file.
