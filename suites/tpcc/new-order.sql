-- New-Order, clause 2.4: an order of 5 to 15 lines, all from the home warehouse.
\set w_id random(1, :scale)
\set d_id random(1, 10)
\set c_id ((random(0, 1023) | random(1, 3000)) + 259) % 3000 + 1
\set ol_cnt random(5, 15)
BEGIN;
SELECT c_discount, c_last, c_credit, w_tax FROM customer, warehouse
    WHERE w_id = :w_id AND c_w_id = w_id AND c_d_id = :d_id AND c_id = :c_id;
SELECT d_next_o_id AS o_id, d_tax FROM district WHERE d_w_id = :w_id AND d_id = :d_id FOR UPDATE \gset
UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = :w_id AND d_id = :d_id;
INSERT INTO orders VALUES (:o_id, :d_id, :w_id, :c_id, CURRENT_TIMESTAMP, NULL, :ol_cnt, 1);
INSERT INTO new_order VALUES (:o_id, :d_id, :w_id);
\set i_id ((random(0, 8191) | random(1, 100000)) + 7911) % 100000 + 1
\set quantity random(1, 10)
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i_id;
SELECT s_quantity, s_dist, s_data FROM stock WHERE s_w_id = :w_id AND s_i_id = :i_id FOR UPDATE;
UPDATE stock SET s_quantity = CASE WHEN s_quantity >= :quantity + 10 THEN s_quantity - :quantity ELSE s_quantity - :quantity + 91 END,
    s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = :w_id AND s_i_id = :i_id;
INSERT INTO order_line VALUES (:o_id, :d_id, :w_id, 1, :i_id, :w_id, NULL, :quantity,
    :quantity * (SELECT i_price FROM item WHERE i_id = :i_id), 'abcdefghijklmnopqrstuvwx');
\set i_id ((random(0, 8191) | random(1, 100000)) + 7911) % 100000 + 1
\set quantity random(1, 10)
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i_id;
SELECT s_quantity, s_dist, s_data FROM stock WHERE s_w_id = :w_id AND s_i_id = :i_id FOR UPDATE;
UPDATE stock SET s_quantity = CASE WHEN s_quantity >= :quantity + 10 THEN s_quantity - :quantity ELSE s_quantity - :quantity + 91 END,
    s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = :w_id AND s_i_id = :i_id;
INSERT INTO order_line VALUES (:o_id, :d_id, :w_id, 2, :i_id, :w_id, NULL, :quantity,
    :quantity * (SELECT i_price FROM item WHERE i_id = :i_id), 'abcdefghijklmnopqrstuvwx');
\set i_id ((random(0, 8191) | random(1, 100000)) + 7911) % 100000 + 1
\set quantity random(1, 10)
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i_id;
SELECT s_quantity, s_dist, s_data FROM stock WHERE s_w_id = :w_id AND s_i_id = :i_id FOR UPDATE;
UPDATE stock SET s_quantity = CASE WHEN s_quantity >= :quantity + 10 THEN s_quantity - :quantity ELSE s_quantity - :quantity + 91 END,
    s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = :w_id AND s_i_id = :i_id;
INSERT INTO order_line VALUES (:o_id, :d_id, :w_id, 3, :i_id, :w_id, NULL, :quantity,
    :quantity * (SELECT i_price FROM item WHERE i_id = :i_id), 'abcdefghijklmnopqrstuvwx');
\set i_id ((random(0, 8191) | random(1, 100000)) + 7911) % 100000 + 1
\set quantity random(1, 10)
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i_id;
SELECT s_quantity, s_dist, s_data FROM stock WHERE s_w_id = :w_id AND s_i_id = :i_id FOR UPDATE;
UPDATE stock SET s_quantity = CASE WHEN s_quantity >= :quantity + 10 THEN s_quantity - :quantity ELSE s_quantity - :quantity + 91 END,
    s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = :w_id AND s_i_id = :i_id;
INSERT INTO order_line VALUES (:o_id, :d_id, :w_id, 4, :i_id, :w_id, NULL, :quantity,
    :quantity * (SELECT i_price FROM item WHERE i_id = :i_id), 'abcdefghijklmnopqrstuvwx');
\set i_id ((random(0, 8191) | random(1, 100000)) + 7911) % 100000 + 1
\set quantity random(1, 10)
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i_id;
SELECT s_quantity, s_dist, s_data FROM stock WHERE s_w_id = :w_id AND s_i_id = :i_id FOR UPDATE;
UPDATE stock SET s_quantity = CASE WHEN s_quantity >= :quantity + 10 THEN s_quantity - :quantity ELSE s_quantity - :quantity + 91 END,
    s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = :w_id AND s_i_id = :i_id;
INSERT INTO order_line VALUES (:o_id, :d_id, :w_id, 5, :i_id, :w_id, NULL, :quantity,
    :quantity * (SELECT i_price FROM item WHERE i_id = :i_id), 'abcdefghijklmnopqrstuvwx');
\if :ol_cnt >= 6
\set i_id ((random(0, 8191) | random(1, 100000)) + 7911) % 100000 + 1
\set quantity random(1, 10)
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i_id;
SELECT s_quantity, s_dist, s_data FROM stock WHERE s_w_id = :w_id AND s_i_id = :i_id FOR UPDATE;
UPDATE stock SET s_quantity = CASE WHEN s_quantity >= :quantity + 10 THEN s_quantity - :quantity ELSE s_quantity - :quantity + 91 END,
    s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = :w_id AND s_i_id = :i_id;
INSERT INTO order_line VALUES (:o_id, :d_id, :w_id, 6, :i_id, :w_id, NULL, :quantity,
    :quantity * (SELECT i_price FROM item WHERE i_id = :i_id), 'abcdefghijklmnopqrstuvwx');
\endif
\if :ol_cnt >= 7
\set i_id ((random(0, 8191) | random(1, 100000)) + 7911) % 100000 + 1
\set quantity random(1, 10)
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i_id;
SELECT s_quantity, s_dist, s_data FROM stock WHERE s_w_id = :w_id AND s_i_id = :i_id FOR UPDATE;
UPDATE stock SET s_quantity = CASE WHEN s_quantity >= :quantity + 10 THEN s_quantity - :quantity ELSE s_quantity - :quantity + 91 END,
    s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = :w_id AND s_i_id = :i_id;
INSERT INTO order_line VALUES (:o_id, :d_id, :w_id, 7, :i_id, :w_id, NULL, :quantity,
    :quantity * (SELECT i_price FROM item WHERE i_id = :i_id), 'abcdefghijklmnopqrstuvwx');
\endif
\if :ol_cnt >= 8
\set i_id ((random(0, 8191) | random(1, 100000)) + 7911) % 100000 + 1
\set quantity random(1, 10)
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i_id;
SELECT s_quantity, s_dist, s_data FROM stock WHERE s_w_id = :w_id AND s_i_id = :i_id FOR UPDATE;
UPDATE stock SET s_quantity = CASE WHEN s_quantity >= :quantity + 10 THEN s_quantity - :quantity ELSE s_quantity - :quantity + 91 END,
    s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = :w_id AND s_i_id = :i_id;
INSERT INTO order_line VALUES (:o_id, :d_id, :w_id, 8, :i_id, :w_id, NULL, :quantity,
    :quantity * (SELECT i_price FROM item WHERE i_id = :i_id), 'abcdefghijklmnopqrstuvwx');
\endif
\if :ol_cnt >= 9
\set i_id ((random(0, 8191) | random(1, 100000)) + 7911) % 100000 + 1
\set quantity random(1, 10)
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i_id;
SELECT s_quantity, s_dist, s_data FROM stock WHERE s_w_id = :w_id AND s_i_id = :i_id FOR UPDATE;
UPDATE stock SET s_quantity = CASE WHEN s_quantity >= :quantity + 10 THEN s_quantity - :quantity ELSE s_quantity - :quantity + 91 END,
    s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = :w_id AND s_i_id = :i_id;
INSERT INTO order_line VALUES (:o_id, :d_id, :w_id, 9, :i_id, :w_id, NULL, :quantity,
    :quantity * (SELECT i_price FROM item WHERE i_id = :i_id), 'abcdefghijklmnopqrstuvwx');
\endif
\if :ol_cnt >= 10
\set i_id ((random(0, 8191) | random(1, 100000)) + 7911) % 100000 + 1
\set quantity random(1, 10)
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i_id;
SELECT s_quantity, s_dist, s_data FROM stock WHERE s_w_id = :w_id AND s_i_id = :i_id FOR UPDATE;
UPDATE stock SET s_quantity = CASE WHEN s_quantity >= :quantity + 10 THEN s_quantity - :quantity ELSE s_quantity - :quantity + 91 END,
    s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = :w_id AND s_i_id = :i_id;
INSERT INTO order_line VALUES (:o_id, :d_id, :w_id, 10, :i_id, :w_id, NULL, :quantity,
    :quantity * (SELECT i_price FROM item WHERE i_id = :i_id), 'abcdefghijklmnopqrstuvwx');
\endif
\if :ol_cnt >= 11
\set i_id ((random(0, 8191) | random(1, 100000)) + 7911) % 100000 + 1
\set quantity random(1, 10)
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i_id;
SELECT s_quantity, s_dist, s_data FROM stock WHERE s_w_id = :w_id AND s_i_id = :i_id FOR UPDATE;
UPDATE stock SET s_quantity = CASE WHEN s_quantity >= :quantity + 10 THEN s_quantity - :quantity ELSE s_quantity - :quantity + 91 END,
    s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = :w_id AND s_i_id = :i_id;
INSERT INTO order_line VALUES (:o_id, :d_id, :w_id, 11, :i_id, :w_id, NULL, :quantity,
    :quantity * (SELECT i_price FROM item WHERE i_id = :i_id), 'abcdefghijklmnopqrstuvwx');
\endif
\if :ol_cnt >= 12
\set i_id ((random(0, 8191) | random(1, 100000)) + 7911) % 100000 + 1
\set quantity random(1, 10)
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i_id;
SELECT s_quantity, s_dist, s_data FROM stock WHERE s_w_id = :w_id AND s_i_id = :i_id FOR UPDATE;
UPDATE stock SET s_quantity = CASE WHEN s_quantity >= :quantity + 10 THEN s_quantity - :quantity ELSE s_quantity - :quantity + 91 END,
    s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = :w_id AND s_i_id = :i_id;
INSERT INTO order_line VALUES (:o_id, :d_id, :w_id, 12, :i_id, :w_id, NULL, :quantity,
    :quantity * (SELECT i_price FROM item WHERE i_id = :i_id), 'abcdefghijklmnopqrstuvwx');
\endif
\if :ol_cnt >= 13
\set i_id ((random(0, 8191) | random(1, 100000)) + 7911) % 100000 + 1
\set quantity random(1, 10)
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i_id;
SELECT s_quantity, s_dist, s_data FROM stock WHERE s_w_id = :w_id AND s_i_id = :i_id FOR UPDATE;
UPDATE stock SET s_quantity = CASE WHEN s_quantity >= :quantity + 10 THEN s_quantity - :quantity ELSE s_quantity - :quantity + 91 END,
    s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = :w_id AND s_i_id = :i_id;
INSERT INTO order_line VALUES (:o_id, :d_id, :w_id, 13, :i_id, :w_id, NULL, :quantity,
    :quantity * (SELECT i_price FROM item WHERE i_id = :i_id), 'abcdefghijklmnopqrstuvwx');
\endif
\if :ol_cnt >= 14
\set i_id ((random(0, 8191) | random(1, 100000)) + 7911) % 100000 + 1
\set quantity random(1, 10)
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i_id;
SELECT s_quantity, s_dist, s_data FROM stock WHERE s_w_id = :w_id AND s_i_id = :i_id FOR UPDATE;
UPDATE stock SET s_quantity = CASE WHEN s_quantity >= :quantity + 10 THEN s_quantity - :quantity ELSE s_quantity - :quantity + 91 END,
    s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = :w_id AND s_i_id = :i_id;
INSERT INTO order_line VALUES (:o_id, :d_id, :w_id, 14, :i_id, :w_id, NULL, :quantity,
    :quantity * (SELECT i_price FROM item WHERE i_id = :i_id), 'abcdefghijklmnopqrstuvwx');
\endif
\if :ol_cnt >= 15
\set i_id ((random(0, 8191) | random(1, 100000)) + 7911) % 100000 + 1
\set quantity random(1, 10)
SELECT i_price, i_name, i_data FROM item WHERE i_id = :i_id;
SELECT s_quantity, s_dist, s_data FROM stock WHERE s_w_id = :w_id AND s_i_id = :i_id FOR UPDATE;
UPDATE stock SET s_quantity = CASE WHEN s_quantity >= :quantity + 10 THEN s_quantity - :quantity ELSE s_quantity - :quantity + 91 END,
    s_ytd = s_ytd + :quantity, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = :w_id AND s_i_id = :i_id;
INSERT INTO order_line VALUES (:o_id, :d_id, :w_id, 15, :i_id, :w_id, NULL, :quantity,
    :quantity * (SELECT i_price FROM item WHERE i_id = :i_id), 'abcdefghijklmnopqrstuvwx');
\endif
END;
