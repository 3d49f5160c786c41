-- Order-Status, clause 2.6: a customer's last order and its lines.
\set w_id random(1, :scale)
\set d_id random(1, 10)
BEGIN;
\set by_name random(1, 100)
\if :by_name <= 60
\set name ((random(0, 255) | random(0, 999)) + 223) % 1000
SELECT COUNT(*) AS found FROM customer
    WHERE c_w_id = :w_id AND c_d_id = :d_id AND c_last = (SELECT name FROM last_names WHERE n = :name) \gset
\set middle (:found + 1) / 2 - 1
SELECT c_id FROM customer WHERE c_w_id = :w_id AND c_d_id = :d_id AND c_last = (SELECT name FROM last_names WHERE n = :name)
    ORDER BY c_first LIMIT 1 OFFSET :middle \gset
\else
\set c_id ((random(0, 1023) | random(1, 3000)) + 259) % 3000 + 1
\endif
SELECT c_balance, c_first, c_last FROM customer WHERE c_w_id = :w_id AND c_d_id = :d_id AND c_id = :c_id;
SELECT COALESCE(MAX(o_id), 0) AS o_id FROM orders WHERE o_w_id = :w_id AND o_d_id = :d_id AND o_c_id = :c_id \gset
SELECT o_carrier_id, o_ol_cnt FROM orders WHERE o_w_id = :w_id AND o_d_id = :d_id AND o_id = :o_id;
SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount FROM order_line WHERE ol_w_id = :w_id AND ol_d_id = :d_id AND ol_o_id = :o_id
    ORDER BY ol_number;
END;
