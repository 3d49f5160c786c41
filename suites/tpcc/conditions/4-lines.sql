-- Condition 4, clause 3.3.2.4: a district has as many order lines as its orders say.
SELECT d_w_id, d_id, said, found FROM district
    LEFT JOIN (SELECT o_w_id, o_d_id, SUM(o_ol_cnt) AS said FROM orders GROUP BY o_w_id, o_d_id) AS by_orders
        ON o_w_id = d_w_id AND o_d_id = d_id
    LEFT JOIN (SELECT ol_w_id, ol_d_id, COUNT(*) AS found FROM order_line GROUP BY ol_w_id, ol_d_id) AS by_lines
        ON ol_w_id = d_w_id AND ol_d_id = d_id
    WHERE COALESCE(said, 0) <> COALESCE(found, 0);
