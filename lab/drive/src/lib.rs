//! Stage 3: clients, slices and blocks.
