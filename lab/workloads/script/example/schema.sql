-- Creates the tables. The schema is empty before. Where an engine needs other words, write schema.postgres.sql,
-- schema.mysql.sql (for MySQL and MariaDB) or schema.mariadb.sql; it takes the place of this file there.
CREATE TABLE digits (d INTEGER NOT NULL PRIMARY KEY);
CREATE TABLE products (
    id INTEGER NOT NULL PRIMARY KEY,
    name VARCHAR(40) NOT NULL,
    price INTEGER NOT NULL,
    stock INTEGER NOT NULL
);
CREATE TABLE orders (product INTEGER NOT NULL, amount INTEGER NOT NULL, total INTEGER NOT NULL, placed TIMESTAMP);
