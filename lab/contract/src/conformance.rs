//! One suite for every engine: an engine's tests call these functions with a server of their own, and an engine
//! that passes can be measured.
