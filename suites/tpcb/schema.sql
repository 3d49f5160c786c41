CREATE TABLE pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22));
CREATE TABLE pgbench_tellers (tid int NOT NULL, bid int, tbalance int, filler char(84));
CREATE TABLE pgbench_accounts (aid int NOT NULL, bid int, abalance int, filler char(84));
CREATE TABLE pgbench_branches (bid int NOT NULL, bbalance int, filler char(88));
