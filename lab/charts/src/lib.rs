//! One file per chart: data in, SVG out.
