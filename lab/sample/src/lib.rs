//! Stage 4: probes read at slice edges.
