-- Finds orders whose total is not what the product costs. A row that it finds voids the test before it.
SELECT product, amount, price, total FROM orders, products WHERE id = product AND total <> price * amount;
