-- Tables of TPC-C, clause 1.3. Amounts are exact; keys come after the load.
CREATE TABLE warehouse (w_id INTEGER NOT NULL, w_name VARCHAR(10), w_street VARCHAR(20), w_city VARCHAR(20), w_tax DECIMAL(4,4) NOT NULL,
    w_ytd DECIMAL(12,2) NOT NULL);
CREATE TABLE district (d_id INTEGER NOT NULL, d_w_id INTEGER NOT NULL, d_name VARCHAR(10), d_street VARCHAR(20), d_city VARCHAR(20),
    d_tax DECIMAL(4,4) NOT NULL, d_ytd DECIMAL(12,2) NOT NULL, d_next_o_id INTEGER NOT NULL);
CREATE TABLE customer (c_id INTEGER NOT NULL, c_d_id INTEGER NOT NULL, c_w_id INTEGER NOT NULL, c_first VARCHAR(16), c_last VARCHAR(16) NOT NULL,
    c_street VARCHAR(20), c_city VARCHAR(20), c_credit CHAR(2) NOT NULL, c_discount DECIMAL(4,4) NOT NULL, c_balance DECIMAL(12,2) NOT NULL,
    c_ytd_payment DECIMAL(12,2) NOT NULL, c_payment_cnt INTEGER NOT NULL, c_delivery_cnt INTEGER NOT NULL, c_data VARCHAR(500));
CREATE TABLE history (h_c_id INTEGER NOT NULL, h_c_d_id INTEGER NOT NULL, h_c_w_id INTEGER NOT NULL, h_d_id INTEGER NOT NULL,
    h_w_id INTEGER NOT NULL, h_date TIMESTAMP NULL, h_amount DECIMAL(6,2) NOT NULL, h_data VARCHAR(24));
CREATE TABLE new_order (no_o_id INTEGER NOT NULL, no_d_id INTEGER NOT NULL, no_w_id INTEGER NOT NULL);
CREATE TABLE orders (o_id INTEGER NOT NULL, o_d_id INTEGER NOT NULL, o_w_id INTEGER NOT NULL, o_c_id INTEGER NOT NULL, o_entry_d TIMESTAMP NULL,
    o_carrier_id INTEGER, o_ol_cnt INTEGER NOT NULL, o_all_local INTEGER NOT NULL);
CREATE TABLE order_line (ol_o_id INTEGER NOT NULL, ol_d_id INTEGER NOT NULL, ol_w_id INTEGER NOT NULL, ol_number INTEGER NOT NULL,
    ol_i_id INTEGER NOT NULL, ol_supply_w_id INTEGER NOT NULL, ol_delivery_d TIMESTAMP NULL, ol_quantity INTEGER NOT NULL,
    ol_amount DECIMAL(6,2) NOT NULL, ol_dist_info CHAR(24));
CREATE TABLE item (i_id INTEGER NOT NULL, i_im_id INTEGER NOT NULL, i_name VARCHAR(24), i_price DECIMAL(5,2) NOT NULL, i_data VARCHAR(50));
CREATE TABLE stock (s_i_id INTEGER NOT NULL, s_w_id INTEGER NOT NULL, s_quantity INTEGER NOT NULL, s_dist CHAR(24), s_ytd INTEGER NOT NULL,
    s_order_cnt INTEGER NOT NULL, s_remote_cnt INTEGER NOT NULL, s_data VARCHAR(50));
CREATE TABLE last_names (n INTEGER NOT NULL PRIMARY KEY, name VARCHAR(16) NOT NULL);
