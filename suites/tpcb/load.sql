-- The same rows as `pgbench -i`. All engines count by joining ten digits, because generate_series is known to one alone.
CREATE TABLE digits (d int NOT NULL);
INSERT INTO digits VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9);
INSERT INTO pgbench_branches (bid, bbalance)
    SELECT n, 0 FROM (SELECT 1 + a.d + 10 * b.d + 100 * c.d + 1000 * e.d AS n FROM digits a, digits b, digits c, digits e) AS numbers
    WHERE n <= :scale;
INSERT INTO pgbench_tellers (tid, bid, tbalance)
    SELECT 10 * (bid - 1) + d + 1, bid, 0 FROM pgbench_branches, digits;
INSERT INTO pgbench_accounts (aid, bid, abalance, filler)
    SELECT 100000 * (bid - 1) + 1 + a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d AS aid, bid, 0, ''
    FROM pgbench_branches, digits a, digits b, digits c, digits e, digits f ORDER BY aid;
DROP TABLE digits;
ALTER TABLE pgbench_branches ADD PRIMARY KEY (bid);
ALTER TABLE pgbench_tellers ADD PRIMARY KEY (tid);
ALTER TABLE pgbench_accounts ADD PRIMARY KEY (aid);
