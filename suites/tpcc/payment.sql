-- Payment, clause 2.5: three in five customers are found by name.
\set w_id random(1, :scale)
\set d_id random(1, 10)
\set cents random(100, 500000)
BEGIN;
UPDATE warehouse SET w_ytd = w_ytd + :cents * 0.01 WHERE w_id = :w_id;
SELECT w_name, w_street, w_city FROM warehouse WHERE w_id = :w_id;
UPDATE district SET d_ytd = d_ytd + :cents * 0.01 WHERE d_w_id = :w_id AND d_id = :d_id;
SELECT d_name, d_street, d_city FROM district WHERE d_w_id = :w_id AND d_id = :d_id;
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
SELECT c_first, c_last, c_street, c_city, c_credit, c_discount, c_balance FROM customer
    WHERE c_w_id = :w_id AND c_d_id = :d_id AND c_id = :c_id FOR UPDATE;
UPDATE customer SET c_balance = c_balance - :cents * 0.01, c_ytd_payment = c_ytd_payment + :cents * 0.01, c_payment_cnt = c_payment_cnt + 1
    WHERE c_w_id = :w_id AND c_d_id = :d_id AND c_id = :c_id;
INSERT INTO history VALUES (:c_id, :d_id, :w_id, :d_id, :w_id, CURRENT_TIMESTAMP, :cents * 0.01, 'payment');
END;
