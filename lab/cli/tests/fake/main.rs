//! The program end to end on the fake engine, which needs no server: one binary, because its tests then share two processors.

#[path = "../common/mod.rs"]
mod common;

mod action;
mod after_load;
mod again;
mod another_base;
mod bad_input;
mod bad_shards;
mod bisect;
mod bisect_run;
mod builds;
mod canaries;
mod capture;
mod capture_server;
mod causes;
mod ci;
mod clients;
mod conditions;
mod drills;
mod examine_later;
mod experiments;
mod extend;
mod fleet;
mod fleet_ssh;
mod history;
mod import;
mod insert;
mod manual;
mod merge_bytes;
mod one_at_a_time;
mod outputs_in_docs;
mod own_data;
mod own_dump;
mod own_suite;
mod pipelines;
mod published;
mod selftest;
mod shards;
mod site;
mod sorts;
mod upgrade;
mod watch;
mod workflows;
mod writes;
