-- Condition 3, clause 3.3.2.3: the numbers of a district's new orders have no gaps. A district without new orders is no group.
SELECT no_w_id, no_d_id, MIN(no_o_id) AS first_new, MAX(no_o_id) AS last_new, COUNT(*) AS new_orders FROM new_order
    GROUP BY no_w_id, no_d_id HAVING MAX(no_o_id) - MIN(no_o_id) + 1 <> COUNT(*);
