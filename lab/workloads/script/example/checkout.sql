\set id random_zipfian(1, 1000 * :scale, 1.1)
\set amount random(1, 5)
BEGIN;
-- \gset ends a statement in place of the semicolon. Its columns become variables: here, :price.
SELECT price FROM products WHERE id = :id \gset
\set total :price * :amount
UPDATE products SET stock = stock - :amount WHERE id = :id;
INSERT INTO orders VALUES (:id, :amount, :total, CURRENT_TIMESTAMP);
END;
