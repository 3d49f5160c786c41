-- Delivery, clause 2.7: the oldest new order of each district, all in one transaction.
\set w_id random(1, :scale)
\set carrier random(1, 10)
BEGIN;
SELECT d_id FROM district WHERE d_w_id = :w_id AND d_id = 1 FOR UPDATE;
SELECT COALESCE(MIN(no_o_id), 0) AS o_id FROM new_order WHERE no_w_id = :w_id AND no_d_id = 1 \gset
\if :o_id > 0
DELETE FROM new_order WHERE no_w_id = :w_id AND no_d_id = 1 AND no_o_id = :o_id;
UPDATE orders SET o_carrier_id = :carrier WHERE o_w_id = :w_id AND o_d_id = 1 AND o_id = :o_id;
UPDATE order_line SET ol_delivery_d = CURRENT_TIMESTAMP WHERE ol_w_id = :w_id AND ol_d_id = 1 AND ol_o_id = :o_id;
UPDATE customer SET c_delivery_cnt = c_delivery_cnt + 1, c_balance = c_balance
    + (SELECT SUM(ol_amount) FROM order_line WHERE ol_w_id = :w_id AND ol_d_id = 1 AND ol_o_id = :o_id)
    WHERE c_w_id = :w_id AND c_d_id = 1 AND c_id = (SELECT o_c_id FROM orders WHERE o_w_id = :w_id AND o_d_id = 1 AND o_id = :o_id);
\endif
SELECT d_id FROM district WHERE d_w_id = :w_id AND d_id = 2 FOR UPDATE;
SELECT COALESCE(MIN(no_o_id), 0) AS o_id FROM new_order WHERE no_w_id = :w_id AND no_d_id = 2 \gset
\if :o_id > 0
DELETE FROM new_order WHERE no_w_id = :w_id AND no_d_id = 2 AND no_o_id = :o_id;
UPDATE orders SET o_carrier_id = :carrier WHERE o_w_id = :w_id AND o_d_id = 2 AND o_id = :o_id;
UPDATE order_line SET ol_delivery_d = CURRENT_TIMESTAMP WHERE ol_w_id = :w_id AND ol_d_id = 2 AND ol_o_id = :o_id;
UPDATE customer SET c_delivery_cnt = c_delivery_cnt + 1, c_balance = c_balance
    + (SELECT SUM(ol_amount) FROM order_line WHERE ol_w_id = :w_id AND ol_d_id = 2 AND ol_o_id = :o_id)
    WHERE c_w_id = :w_id AND c_d_id = 2 AND c_id = (SELECT o_c_id FROM orders WHERE o_w_id = :w_id AND o_d_id = 2 AND o_id = :o_id);
\endif
SELECT d_id FROM district WHERE d_w_id = :w_id AND d_id = 3 FOR UPDATE;
SELECT COALESCE(MIN(no_o_id), 0) AS o_id FROM new_order WHERE no_w_id = :w_id AND no_d_id = 3 \gset
\if :o_id > 0
DELETE FROM new_order WHERE no_w_id = :w_id AND no_d_id = 3 AND no_o_id = :o_id;
UPDATE orders SET o_carrier_id = :carrier WHERE o_w_id = :w_id AND o_d_id = 3 AND o_id = :o_id;
UPDATE order_line SET ol_delivery_d = CURRENT_TIMESTAMP WHERE ol_w_id = :w_id AND ol_d_id = 3 AND ol_o_id = :o_id;
UPDATE customer SET c_delivery_cnt = c_delivery_cnt + 1, c_balance = c_balance
    + (SELECT SUM(ol_amount) FROM order_line WHERE ol_w_id = :w_id AND ol_d_id = 3 AND ol_o_id = :o_id)
    WHERE c_w_id = :w_id AND c_d_id = 3 AND c_id = (SELECT o_c_id FROM orders WHERE o_w_id = :w_id AND o_d_id = 3 AND o_id = :o_id);
\endif
SELECT d_id FROM district WHERE d_w_id = :w_id AND d_id = 4 FOR UPDATE;
SELECT COALESCE(MIN(no_o_id), 0) AS o_id FROM new_order WHERE no_w_id = :w_id AND no_d_id = 4 \gset
\if :o_id > 0
DELETE FROM new_order WHERE no_w_id = :w_id AND no_d_id = 4 AND no_o_id = :o_id;
UPDATE orders SET o_carrier_id = :carrier WHERE o_w_id = :w_id AND o_d_id = 4 AND o_id = :o_id;
UPDATE order_line SET ol_delivery_d = CURRENT_TIMESTAMP WHERE ol_w_id = :w_id AND ol_d_id = 4 AND ol_o_id = :o_id;
UPDATE customer SET c_delivery_cnt = c_delivery_cnt + 1, c_balance = c_balance
    + (SELECT SUM(ol_amount) FROM order_line WHERE ol_w_id = :w_id AND ol_d_id = 4 AND ol_o_id = :o_id)
    WHERE c_w_id = :w_id AND c_d_id = 4 AND c_id = (SELECT o_c_id FROM orders WHERE o_w_id = :w_id AND o_d_id = 4 AND o_id = :o_id);
\endif
SELECT d_id FROM district WHERE d_w_id = :w_id AND d_id = 5 FOR UPDATE;
SELECT COALESCE(MIN(no_o_id), 0) AS o_id FROM new_order WHERE no_w_id = :w_id AND no_d_id = 5 \gset
\if :o_id > 0
DELETE FROM new_order WHERE no_w_id = :w_id AND no_d_id = 5 AND no_o_id = :o_id;
UPDATE orders SET o_carrier_id = :carrier WHERE o_w_id = :w_id AND o_d_id = 5 AND o_id = :o_id;
UPDATE order_line SET ol_delivery_d = CURRENT_TIMESTAMP WHERE ol_w_id = :w_id AND ol_d_id = 5 AND ol_o_id = :o_id;
UPDATE customer SET c_delivery_cnt = c_delivery_cnt + 1, c_balance = c_balance
    + (SELECT SUM(ol_amount) FROM order_line WHERE ol_w_id = :w_id AND ol_d_id = 5 AND ol_o_id = :o_id)
    WHERE c_w_id = :w_id AND c_d_id = 5 AND c_id = (SELECT o_c_id FROM orders WHERE o_w_id = :w_id AND o_d_id = 5 AND o_id = :o_id);
\endif
SELECT d_id FROM district WHERE d_w_id = :w_id AND d_id = 6 FOR UPDATE;
SELECT COALESCE(MIN(no_o_id), 0) AS o_id FROM new_order WHERE no_w_id = :w_id AND no_d_id = 6 \gset
\if :o_id > 0
DELETE FROM new_order WHERE no_w_id = :w_id AND no_d_id = 6 AND no_o_id = :o_id;
UPDATE orders SET o_carrier_id = :carrier WHERE o_w_id = :w_id AND o_d_id = 6 AND o_id = :o_id;
UPDATE order_line SET ol_delivery_d = CURRENT_TIMESTAMP WHERE ol_w_id = :w_id AND ol_d_id = 6 AND ol_o_id = :o_id;
UPDATE customer SET c_delivery_cnt = c_delivery_cnt + 1, c_balance = c_balance
    + (SELECT SUM(ol_amount) FROM order_line WHERE ol_w_id = :w_id AND ol_d_id = 6 AND ol_o_id = :o_id)
    WHERE c_w_id = :w_id AND c_d_id = 6 AND c_id = (SELECT o_c_id FROM orders WHERE o_w_id = :w_id AND o_d_id = 6 AND o_id = :o_id);
\endif
SELECT d_id FROM district WHERE d_w_id = :w_id AND d_id = 7 FOR UPDATE;
SELECT COALESCE(MIN(no_o_id), 0) AS o_id FROM new_order WHERE no_w_id = :w_id AND no_d_id = 7 \gset
\if :o_id > 0
DELETE FROM new_order WHERE no_w_id = :w_id AND no_d_id = 7 AND no_o_id = :o_id;
UPDATE orders SET o_carrier_id = :carrier WHERE o_w_id = :w_id AND o_d_id = 7 AND o_id = :o_id;
UPDATE order_line SET ol_delivery_d = CURRENT_TIMESTAMP WHERE ol_w_id = :w_id AND ol_d_id = 7 AND ol_o_id = :o_id;
UPDATE customer SET c_delivery_cnt = c_delivery_cnt + 1, c_balance = c_balance
    + (SELECT SUM(ol_amount) FROM order_line WHERE ol_w_id = :w_id AND ol_d_id = 7 AND ol_o_id = :o_id)
    WHERE c_w_id = :w_id AND c_d_id = 7 AND c_id = (SELECT o_c_id FROM orders WHERE o_w_id = :w_id AND o_d_id = 7 AND o_id = :o_id);
\endif
SELECT d_id FROM district WHERE d_w_id = :w_id AND d_id = 8 FOR UPDATE;
SELECT COALESCE(MIN(no_o_id), 0) AS o_id FROM new_order WHERE no_w_id = :w_id AND no_d_id = 8 \gset
\if :o_id > 0
DELETE FROM new_order WHERE no_w_id = :w_id AND no_d_id = 8 AND no_o_id = :o_id;
UPDATE orders SET o_carrier_id = :carrier WHERE o_w_id = :w_id AND o_d_id = 8 AND o_id = :o_id;
UPDATE order_line SET ol_delivery_d = CURRENT_TIMESTAMP WHERE ol_w_id = :w_id AND ol_d_id = 8 AND ol_o_id = :o_id;
UPDATE customer SET c_delivery_cnt = c_delivery_cnt + 1, c_balance = c_balance
    + (SELECT SUM(ol_amount) FROM order_line WHERE ol_w_id = :w_id AND ol_d_id = 8 AND ol_o_id = :o_id)
    WHERE c_w_id = :w_id AND c_d_id = 8 AND c_id = (SELECT o_c_id FROM orders WHERE o_w_id = :w_id AND o_d_id = 8 AND o_id = :o_id);
\endif
SELECT d_id FROM district WHERE d_w_id = :w_id AND d_id = 9 FOR UPDATE;
SELECT COALESCE(MIN(no_o_id), 0) AS o_id FROM new_order WHERE no_w_id = :w_id AND no_d_id = 9 \gset
\if :o_id > 0
DELETE FROM new_order WHERE no_w_id = :w_id AND no_d_id = 9 AND no_o_id = :o_id;
UPDATE orders SET o_carrier_id = :carrier WHERE o_w_id = :w_id AND o_d_id = 9 AND o_id = :o_id;
UPDATE order_line SET ol_delivery_d = CURRENT_TIMESTAMP WHERE ol_w_id = :w_id AND ol_d_id = 9 AND ol_o_id = :o_id;
UPDATE customer SET c_delivery_cnt = c_delivery_cnt + 1, c_balance = c_balance
    + (SELECT SUM(ol_amount) FROM order_line WHERE ol_w_id = :w_id AND ol_d_id = 9 AND ol_o_id = :o_id)
    WHERE c_w_id = :w_id AND c_d_id = 9 AND c_id = (SELECT o_c_id FROM orders WHERE o_w_id = :w_id AND o_d_id = 9 AND o_id = :o_id);
\endif
SELECT d_id FROM district WHERE d_w_id = :w_id AND d_id = 10 FOR UPDATE;
SELECT COALESCE(MIN(no_o_id), 0) AS o_id FROM new_order WHERE no_w_id = :w_id AND no_d_id = 10 \gset
\if :o_id > 0
DELETE FROM new_order WHERE no_w_id = :w_id AND no_d_id = 10 AND no_o_id = :o_id;
UPDATE orders SET o_carrier_id = :carrier WHERE o_w_id = :w_id AND o_d_id = 10 AND o_id = :o_id;
UPDATE order_line SET ol_delivery_d = CURRENT_TIMESTAMP WHERE ol_w_id = :w_id AND ol_d_id = 10 AND ol_o_id = :o_id;
UPDATE customer SET c_delivery_cnt = c_delivery_cnt + 1, c_balance = c_balance
    + (SELECT SUM(ol_amount) FROM order_line WHERE ol_w_id = :w_id AND ol_d_id = 10 AND ol_o_id = :o_id)
    WHERE c_w_id = :w_id AND c_d_id = 10 AND c_id = (SELECT o_c_id FROM orders WHERE o_w_id = :w_id AND o_d_id = 10 AND o_id = :o_id);
\endif
END;
