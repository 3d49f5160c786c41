//! Stage 2: fetch, unpack, start, freeze, thaw and stop what is measured.
