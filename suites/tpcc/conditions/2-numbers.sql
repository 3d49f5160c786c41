-- Condition 2, clause 3.3.2.2: the next number of a district follows its last order and its last new order. A district without
-- new orders has no last one, and the comparison with NULL finds no row.
SELECT d_w_id, d_id, d_next_o_id, last_order, last_new
    FROM (SELECT d_w_id, d_id, d_next_o_id,
            (SELECT MAX(o_id) FROM orders WHERE o_w_id = d_w_id AND o_d_id = d_id) AS last_order,
            (SELECT MAX(no_o_id) FROM new_order WHERE no_w_id = d_w_id AND no_d_id = d_id) AS last_new
        FROM district) AS numbers
    WHERE last_order IS NULL OR d_next_o_id - 1 <> last_order OR d_next_o_id - 1 <> last_new;
