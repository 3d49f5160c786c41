//! Stage 6: estimates, intervals, verdicts; pure functions.
