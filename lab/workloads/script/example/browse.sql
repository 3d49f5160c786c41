-- Variables are drawn from the operation's own seed, so that every subject gets the same ones.
\set id random_zipfian(1, 1000 * :scale, 1.1)
SELECT name, price, stock FROM products WHERE id = :id;
