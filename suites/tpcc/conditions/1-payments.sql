-- Condition 1, clause 3.3.2.1: what a warehouse has been paid is the sum of what its districts have been paid.
SELECT w_id, w_ytd, SUM(d_ytd) AS of_districts FROM warehouse LEFT JOIN district ON d_w_id = w_id
    GROUP BY w_id, w_ytd HAVING w_ytd <> COALESCE(SUM(d_ytd), 0);
