-- Stock-Level, clause 2.8: items of the last twenty orders that are low in stock.
\set w_id random(1, :scale)
\set d_id random(1, 10)
\set threshold random(10, 20)
SELECT d_next_o_id AS next FROM district WHERE d_w_id = :w_id AND d_id = :d_id \gset
SELECT COUNT(DISTINCT s_i_id) FROM order_line, stock
    WHERE ol_w_id = :w_id AND ol_d_id = :d_id AND ol_o_id < :next AND ol_o_id >= :next - 20
    AND s_w_id = :w_id AND s_i_id = ol_i_id AND s_quantity < :threshold;
