//! A scripted engine on a virtual clock.
