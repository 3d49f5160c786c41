-- Clause 4.3, as far as a row's own number can draw it. All engines count by joining ten digits.
CREATE TABLE digits (d INTEGER NOT NULL, syllable VARCHAR(5) NOT NULL);
INSERT INTO digits VALUES (0, 'BAR'), (1, 'OUGHT'), (2, 'ABLE'), (3, 'PRI'), (4, 'PRES'), (5, 'ESE'), (6, 'ANTI'), (7, 'CALLY'), (8, 'ATION'), (9, 'EING');
INSERT INTO last_names SELECT c.d + 10 * b.d + 100 * a.d, CONCAT(a.syllable, b.syllable, c.syllable) FROM digits a, digits b, digits c;
INSERT INTO item
    SELECT n, (n * 7919) % 10000 + 1, CONCAT('item ', n), 1 + ((n * 31) % 9900) * 0.01, CONCAT('data of item ', n)
    FROM (SELECT 1 + a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d AS n FROM digits a, digits b, digits c, digits e, digits f) AS numbers
    ORDER BY n;
INSERT INTO warehouse
    SELECT n, CONCAT('W', n), CONCAT('street ', n), CONCAT('city ', n), (n * 37 % 2000) * 0.0001, 300000
    FROM (SELECT 1 + a.d + 10 * b.d + 100 * c.d AS n FROM digits a, digits b, digits c) AS numbers WHERE n <= :scale;
INSERT INTO district
    SELECT d + 1, w_id, CONCAT('D', d + 1), CONCAT('street ', d + 1), CONCAT('city ', d + 1), (d * 41 % 2000) * 0.0001, 30000, 3001
    FROM warehouse, digits;
INSERT INTO stock
    SELECT i_id, w_id, 10 + (i_id * 31 + w_id * 7) % 91, 'abcdefghijklmnopqrstuvwx', 0, 0, 0, CONCAT('stock of item ', i_id) FROM warehouse, item
    ORDER BY w_id, i_id;
INSERT INTO customer
    SELECT numbers.n, d_id, d_w_id, CONCAT('F', 10000 + numbers.n), name, CONCAT('street ', numbers.n), CONCAT('city ', numbers.n),
        CASE WHEN numbers.n % 10 = 0 THEN 'BC' ELSE 'GC' END,
        (numbers.n * 13 % 5000) * 0.0001, -10, 10, 1, 0, 'data of a customer, which payments with bad credit would add to'
    FROM district, (SELECT 1 + a.d + 10 * b.d + 100 * c.d + 1000 * e.d AS n FROM digits a, digits b, digits c, digits e WHERE e.d < 3) AS numbers,
        last_names
    WHERE last_names.n = CASE WHEN numbers.n <= 1000 THEN numbers.n - 1 ELSE (numbers.n * 7919 + d_id) % 1000 END
    ORDER BY d_w_id, d_id, numbers.n;
INSERT INTO history SELECT c_id, c_d_id, c_w_id, c_d_id, c_w_id, TIMESTAMP '2026-01-01 00:00:00', 10, 'first payment' FROM customer;
INSERT INTO orders
    SELECT c_id, c_d_id, c_w_id, (c_id * 7919 + c_d_id) % 3000 + 1, TIMESTAMP '2026-01-01 00:00:00', CASE WHEN c_id > 2100 THEN NULL ELSE c_id % 10 + 1 END,
        5 + (c_id * 31 + c_d_id * 7) % 11, 1
    FROM customer ORDER BY c_w_id, c_d_id, c_id;
INSERT INTO new_order SELECT o_id, o_d_id, o_w_id FROM orders WHERE o_id > 2100;
INSERT INTO order_line
    SELECT o_id, o_d_id, o_w_id, n, (o_id * 7919 + o_d_id * 31 + n * 4057) % 100000 + 1, o_w_id,
        CASE WHEN o_id > 2100 THEN NULL ELSE TIMESTAMP '2026-01-01 00:00:00' END, 5, CASE WHEN o_id > 2100 THEN ((o_id * 7919 + n * 31) % 999900) * 0.01 ELSE 0 END,
        'abcdefghijklmnopqrstuvwx'
    FROM orders, (SELECT 1 + a.d + 10 * b.d AS n FROM digits a, digits b WHERE b.d < 2) AS numbers
    WHERE n <= o_ol_cnt ORDER BY o_w_id, o_d_id, o_id, n;
DROP TABLE digits;
ALTER TABLE warehouse ADD PRIMARY KEY (w_id);
ALTER TABLE district ADD PRIMARY KEY (d_w_id, d_id);
ALTER TABLE customer ADD PRIMARY KEY (c_w_id, c_d_id, c_id);
ALTER TABLE new_order ADD PRIMARY KEY (no_w_id, no_d_id, no_o_id);
ALTER TABLE orders ADD PRIMARY KEY (o_w_id, o_d_id, o_id);
ALTER TABLE order_line ADD PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number);
ALTER TABLE item ADD PRIMARY KEY (i_id);
ALTER TABLE stock ADD PRIMARY KEY (s_w_id, s_i_id);
CREATE INDEX customer_by_name ON customer (c_w_id, c_d_id, c_last, c_first);
CREATE INDEX orders_by_customer ON orders (o_w_id, o_d_id, o_c_id, o_id);
