-- Fills the tables: the same rows each time, so no random() and no clock. load.ENGINE.sql takes its place on one engine.
-- Joining ten digits counts on every engine; :scale comes from --scale.
INSERT INTO digits VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9);
INSERT INTO products
    SELECT n, CONCAT('product ', n), 100 + n % 900, 1000000
    FROM (SELECT 1 + a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d AS n
        FROM digits a, digits b, digits c, digits e, digits f) AS numbers
    WHERE n <= 1000 * :scale;
INSERT INTO orders
    SELECT p.id, 1 + d.d % 3, p.price * (1 + d.d % 3), '2026-01-01 00:00:00' FROM products p, digits d;
CREATE INDEX orders_product ON orders (product);
