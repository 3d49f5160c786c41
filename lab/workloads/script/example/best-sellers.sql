\set first random(1, 1000 * :scale - 99)
SELECT product, SUM(amount) AS sold FROM orders
    WHERE product BETWEEN :first AND :first + 99 GROUP BY product ORDER BY sold DESC, product LIMIT 10;
