--
-- PostgreSQL database dump
--

\restrict og1RueNoIe0amW2YHDH0JVEtUuZjnwZSnsh3nLQfOgifrLobQ5U9ddND0PJXGvy

-- Dumped from database version 18.6
-- Dumped by pg_dump version 18.6 (Debian 18.6-3)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: app; Type: SCHEMA; Schema: -; Owner: humdrum
--

CREATE SCHEMA app;


ALTER SCHEMA app OWNER TO humdrum;

--
-- Name: state; Type: TYPE; Schema: app; Owner: humdrum
--

CREATE TYPE app.state AS ENUM (
    'new',
    'paid; sent'
);


ALTER TYPE app.state OWNER TO humdrum;

--
-- Name: total(); Type: FUNCTION; Schema: app; Owner: humdrum
--

CREATE FUNCTION app.total() RETURNS bigint
    LANGUAGE sql
    AS $$ SELECT count(*) FROM app.orders; -- all; 'of them
$$;


ALTER FUNCTION app.total() OWNER TO humdrum;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: orders; Type: TABLE; Schema: app; Owner: seller
--

CREATE TABLE app.orders (
    id bigint NOT NULL,
    product integer,
    state app.state,
    placed timestamp without time zone
);


ALTER TABLE app.orders OWNER TO seller;

--
-- Name: TABLE orders; Type: COMMENT; Schema: app; Owner: seller
--

COMMENT ON TABLE app.orders IS 'it''s a table; really';


--
-- Name: orders_id_seq; Type: SEQUENCE; Schema: app; Owner: seller
--

CREATE SEQUENCE app.orders_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER SEQUENCE app.orders_id_seq OWNER TO seller;

--
-- Name: orders_id_seq; Type: SEQUENCE OWNED BY; Schema: app; Owner: seller
--

ALTER SEQUENCE app.orders_id_seq OWNED BY app.orders.id;


--
-- Name: paid; Type: VIEW; Schema: app; Owner: humdrum
--

CREATE VIEW app.paid AS
 SELECT id
   FROM app.orders
  WHERE (state = 'paid; sent'::app.state);


ALTER VIEW app.paid OWNER TO humdrum;

--
-- Name: products; Type: TABLE; Schema: public; Owner: humdrum
--

CREATE TABLE public.products (
    id integer NOT NULL,
    name character varying(40) NOT NULL,
    price numeric(8,2),
    "note (old)" text
);


ALTER TABLE public.products OWNER TO humdrum;

--
-- Name: orders id; Type: DEFAULT; Schema: app; Owner: seller
--

ALTER TABLE ONLY app.orders ALTER COLUMN id SET DEFAULT nextval('app.orders_id_seq'::regclass);


--
-- Data for Name: orders; Type: TABLE DATA; Schema: app; Owner: seller
--

COPY app.orders (id, product, state, placed) FROM stdin;
1	2	paid; sent	2026-01-01 01:00:00
2	3	new	2026-01-01 02:00:00
3	4	paid; sent	2026-01-01 03:00:00
4	5	new	2026-01-01 04:00:00
5	6	paid; sent	2026-01-01 05:00:00
6	7	new	2026-01-01 06:00:00
7	8	paid; sent	2026-01-01 07:00:00
8	9	new	2026-01-01 08:00:00
9	10	paid; sent	2026-01-01 09:00:00
10	11	new	2026-01-01 10:00:00
11	12	paid; sent	2026-01-01 11:00:00
12	13	new	2026-01-01 12:00:00
13	14	paid; sent	2026-01-01 13:00:00
14	15	new	2026-01-01 14:00:00
15	16	paid; sent	2026-01-01 15:00:00
16	17	new	2026-01-01 16:00:00
17	18	paid; sent	2026-01-01 17:00:00
18	19	new	2026-01-01 18:00:00
19	20	paid; sent	2026-01-01 19:00:00
20	21	new	2026-01-01 20:00:00
21	22	paid; sent	2026-01-01 21:00:00
22	23	new	2026-01-01 22:00:00
23	24	paid; sent	2026-01-01 23:00:00
24	25	new	2026-01-02 00:00:00
25	26	paid; sent	2026-01-02 01:00:00
26	27	new	2026-01-02 02:00:00
27	28	paid; sent	2026-01-02 03:00:00
28	29	new	2026-01-02 04:00:00
29	30	paid; sent	2026-01-02 05:00:00
30	31	new	2026-01-02 06:00:00
31	32	paid; sent	2026-01-02 07:00:00
32	33	new	2026-01-02 08:00:00
33	34	paid; sent	2026-01-02 09:00:00
34	35	new	2026-01-02 10:00:00
35	36	paid; sent	2026-01-02 11:00:00
36	37	new	2026-01-02 12:00:00
37	38	paid; sent	2026-01-02 13:00:00
38	39	new	2026-01-02 14:00:00
39	40	paid; sent	2026-01-02 15:00:00
40	1	new	2026-01-02 16:00:00
41	2	paid; sent	2026-01-02 17:00:00
42	3	new	2026-01-02 18:00:00
43	4	paid; sent	2026-01-02 19:00:00
44	5	new	2026-01-02 20:00:00
45	6	paid; sent	2026-01-02 21:00:00
46	7	new	2026-01-02 22:00:00
47	8	paid; sent	2026-01-02 23:00:00
48	9	new	2026-01-03 00:00:00
49	10	paid; sent	2026-01-03 01:00:00
50	11	new	2026-01-03 02:00:00
51	12	paid; sent	2026-01-03 03:00:00
52	13	new	2026-01-03 04:00:00
53	14	paid; sent	2026-01-03 05:00:00
54	15	new	2026-01-03 06:00:00
55	16	paid; sent	2026-01-03 07:00:00
56	17	new	2026-01-03 08:00:00
57	18	paid; sent	2026-01-03 09:00:00
58	19	new	2026-01-03 10:00:00
59	20	paid; sent	2026-01-03 11:00:00
60	21	new	2026-01-03 12:00:00
61	22	paid; sent	2026-01-03 13:00:00
62	23	new	2026-01-03 14:00:00
63	24	paid; sent	2026-01-03 15:00:00
64	25	new	2026-01-03 16:00:00
65	26	paid; sent	2026-01-03 17:00:00
66	27	new	2026-01-03 18:00:00
67	28	paid; sent	2026-01-03 19:00:00
68	29	new	2026-01-03 20:00:00
69	30	paid; sent	2026-01-03 21:00:00
70	31	new	2026-01-03 22:00:00
71	32	paid; sent	2026-01-03 23:00:00
72	33	new	2026-01-04 00:00:00
73	34	paid; sent	2026-01-04 01:00:00
74	35	new	2026-01-04 02:00:00
75	36	paid; sent	2026-01-04 03:00:00
76	37	new	2026-01-04 04:00:00
77	38	paid; sent	2026-01-04 05:00:00
78	39	new	2026-01-04 06:00:00
79	40	paid; sent	2026-01-04 07:00:00
80	1	new	2026-01-04 08:00:00
81	2	paid; sent	2026-01-04 09:00:00
82	3	new	2026-01-04 10:00:00
83	4	paid; sent	2026-01-04 11:00:00
84	5	new	2026-01-04 12:00:00
85	6	paid; sent	2026-01-04 13:00:00
86	7	new	2026-01-04 14:00:00
87	8	paid; sent	2026-01-04 15:00:00
88	9	new	2026-01-04 16:00:00
89	10	paid; sent	2026-01-04 17:00:00
90	11	new	2026-01-04 18:00:00
91	12	paid; sent	2026-01-04 19:00:00
92	13	new	2026-01-04 20:00:00
93	14	paid; sent	2026-01-04 21:00:00
94	15	new	2026-01-04 22:00:00
95	16	paid; sent	2026-01-04 23:00:00
96	17	new	2026-01-05 00:00:00
97	18	paid; sent	2026-01-05 01:00:00
98	19	new	2026-01-05 02:00:00
99	20	paid; sent	2026-01-05 03:00:00
100	21	new	2026-01-05 04:00:00
\.


--
-- Data for Name: products; Type: TABLE DATA; Schema: public; Owner: humdrum
--

COPY public.products (id, name, price, "note (old)") FROM stdin;
1	product 1	1.50	a\tb\\c\nd
2	product 2	3.00	
3	product 3	4.50	\\N
4	product 4	6.00	\N
5	product 5	7.50	a\tb\\c\nd
6	product 6	9.00	
7	product 7	10.50	\\N
8	product 8	12.00	\N
9	product 9	13.50	a\tb\\c\nd
10	product 10	15.00	
11	product 11	16.50	\\N
12	product 12	18.00	\N
13	product 13	19.50	a\tb\\c\nd
14	product 14	21.00	
15	product 15	22.50	\\N
16	product 16	24.00	\N
17	product 17	25.50	a\tb\\c\nd
18	product 18	27.00	
19	product 19	28.50	\\N
20	product 20	30.00	\N
21	product 21	31.50	a\tb\\c\nd
22	product 22	33.00	
23	product 23	34.50	\\N
24	product 24	36.00	\N
25	product 25	37.50	a\tb\\c\nd
26	product 26	39.00	
27	product 27	40.50	\\N
28	product 28	42.00	\N
29	product 29	43.50	a\tb\\c\nd
30	product 30	45.00	
31	product 31	46.50	\\N
32	product 32	48.00	\N
33	product 33	49.50	a\tb\\c\nd
34	product 34	51.00	
35	product 35	52.50	\\N
36	product 36	54.00	\N
37	product 37	55.50	a\tb\\c\nd
38	product 38	57.00	
39	product 39	58.50	\\N
40	product 40	60.00	\N
\.


--
-- Name: orders_id_seq; Type: SEQUENCE SET; Schema: app; Owner: seller
--

SELECT pg_catalog.setval('app.orders_id_seq', 100, true);


--
-- Statistics for Name: orders; Type: STATISTICS DATA; Schema: app; Owner: -
--

SELECT * FROM pg_catalog.pg_restore_relation_stats(
	'version', '180006'::integer,
	'schemaname', 'app',
	'relname', 'orders',
	'relpages', '1'::integer,
	'reltuples', '123456'::real,
	'relallvisible', '0'::integer,
	'relallfrozen', '0'::integer
);
SELECT * FROM pg_catalog.pg_restore_attribute_stats(
	'version', '180006'::integer,
	'schemaname', 'app',
	'relname', 'orders',
	'attname', 'id',
	'inherited', 'f'::boolean,
	'null_frac', '0'::real,
	'avg_width', '8'::integer,
	'n_distinct', '-1'::real,
	'histogram_bounds', '{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69,70,71,72,73,74,75,76,77,78,79,80,81,82,83,84,85,86,87,88,89,90,91,92,93,94,95,96,97,98,99,100}'::text,
	'correlation', '1'::real
);
SELECT * FROM pg_catalog.pg_restore_attribute_stats(
	'version', '180006'::integer,
	'schemaname', 'app',
	'relname', 'orders',
	'attname', 'placed',
	'inherited', 'f'::boolean,
	'null_frac', '0'::real,
	'avg_width', '8'::integer,
	'n_distinct', '-1'::real,
	'histogram_bounds', '{"2026-01-01 01:00:00","2026-01-01 02:00:00","2026-01-01 03:00:00","2026-01-01 04:00:00","2026-01-01 05:00:00","2026-01-01 06:00:00","2026-01-01 07:00:00","2026-01-01 08:00:00","2026-01-01 09:00:00","2026-01-01 10:00:00","2026-01-01 11:00:00","2026-01-01 12:00:00","2026-01-01 13:00:00","2026-01-01 14:00:00","2026-01-01 15:00:00","2026-01-01 16:00:00","2026-01-01 17:00:00","2026-01-01 18:00:00","2026-01-01 19:00:00","2026-01-01 20:00:00","2026-01-01 21:00:00","2026-01-01 22:00:00","2026-01-01 23:00:00","2026-01-02 00:00:00","2026-01-02 01:00:00","2026-01-02 02:00:00","2026-01-02 03:00:00","2026-01-02 04:00:00","2026-01-02 05:00:00","2026-01-02 06:00:00","2026-01-02 07:00:00","2026-01-02 08:00:00","2026-01-02 09:00:00","2026-01-02 10:00:00","2026-01-02 11:00:00","2026-01-02 12:00:00","2026-01-02 13:00:00","2026-01-02 14:00:00","2026-01-02 15:00:00","2026-01-02 16:00:00","2026-01-02 17:00:00","2026-01-02 18:00:00","2026-01-02 19:00:00","2026-01-02 20:00:00","2026-01-02 21:00:00","2026-01-02 22:00:00","2026-01-02 23:00:00","2026-01-03 00:00:00","2026-01-03 01:00:00","2026-01-03 02:00:00","2026-01-03 03:00:00","2026-01-03 04:00:00","2026-01-03 05:00:00","2026-01-03 06:00:00","2026-01-03 07:00:00","2026-01-03 08:00:00","2026-01-03 09:00:00","2026-01-03 10:00:00","2026-01-03 11:00:00","2026-01-03 12:00:00","2026-01-03 13:00:00","2026-01-03 14:00:00","2026-01-03 15:00:00","2026-01-03 16:00:00","2026-01-03 17:00:00","2026-01-03 18:00:00","2026-01-03 19:00:00","2026-01-03 20:00:00","2026-01-03 21:00:00","2026-01-03 22:00:00","2026-01-03 23:00:00","2026-01-04 00:00:00","2026-01-04 01:00:00","2026-01-04 02:00:00","2026-01-04 03:00:00","2026-01-04 04:00:00","2026-01-04 05:00:00","2026-01-04 06:00:00","2026-01-04 07:00:00","2026-01-04 08:00:00","2026-01-04 09:00:00","2026-01-04 10:00:00","2026-01-04 11:00:00","2026-01-04 12:00:00","2026-01-04 13:00:00","2026-01-04 14:00:00","2026-01-04 15:00:00","2026-01-04 16:00:00","2026-01-04 17:00:00","2026-01-04 18:00:00","2026-01-04 19:00:00","2026-01-04 20:00:00","2026-01-04 21:00:00","2026-01-04 22:00:00","2026-01-04 23:00:00","2026-01-05 00:00:00","2026-01-05 01:00:00","2026-01-05 02:00:00","2026-01-05 03:00:00","2026-01-05 04:00:00"}'::text,
	'correlation', '1'::real
);
SELECT * FROM pg_catalog.pg_restore_attribute_stats(
	'version', '180006'::integer,
	'schemaname', 'app',
	'relname', 'orders',
	'attname', 'product',
	'inherited', 'f'::boolean,
	'null_frac', '0'::real,
	'avg_width', '4'::integer,
	'n_distinct', '-0.4'::real,
	'most_common_vals', '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,1,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40}'::text,
	'most_common_freqs', '{0.03,0.03,0.03,0.03,0.03,0.03,0.03,0.03,0.03,0.03,0.03,0.03,0.03,0.03,0.03,0.03,0.03,0.03,0.03,0.03,0.02,0.02,0.02,0.02,0.02,0.02,0.02,0.02,0.02,0.02,0.02,0.02,0.02,0.02,0.02,0.02,0.02,0.02,0.02,0.02}'::real[],
	'correlation', '0.104950495'::real
);
SELECT * FROM pg_catalog.pg_restore_attribute_stats(
	'version', '180006'::integer,
	'schemaname', 'app',
	'relname', 'orders',
	'attname', 'state',
	'inherited', 'f'::boolean,
	'null_frac', '0'::real,
	'avg_width', '4'::integer,
	'n_distinct', '2'::real,
	'most_common_vals', '{new,"paid; sent"}'::text,
	'most_common_freqs', '{0.5,0.5}'::real[],
	'correlation', '0.4848485'::real
);


--
-- Statistics for Name: products; Type: STATISTICS DATA; Schema: public; Owner: -
--

SELECT * FROM pg_catalog.pg_restore_relation_stats(
	'version', '180006'::integer,
	'schemaname', 'public',
	'relname', 'products',
	'relpages', '1'::integer,
	'reltuples', '40'::real,
	'relallvisible', '0'::integer,
	'relallfrozen', '0'::integer
);
SELECT * FROM pg_catalog.pg_restore_attribute_stats(
	'version', '180006'::integer,
	'schemaname', 'public',
	'relname', 'products',
	'attname', 'id',
	'inherited', 'f'::boolean,
	'null_frac', '0'::real,
	'avg_width', '4'::integer,
	'n_distinct', '-1'::real,
	'histogram_bounds', '{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40}'::text,
	'correlation', '1'::real
);
SELECT * FROM pg_catalog.pg_restore_attribute_stats(
	'version', '180006'::integer,
	'schemaname', 'public',
	'relname', 'products',
	'attname', 'name',
	'inherited', 'f'::boolean,
	'null_frac', '0'::real,
	'avg_width', '10'::integer,
	'n_distinct', '-1'::real,
	'histogram_bounds', '{"product 1","product 10","product 11","product 12","product 13","product 14","product 15","product 16","product 17","product 18","product 19","product 2","product 20","product 21","product 22","product 23","product 24","product 25","product 26","product 27","product 28","product 29","product 3","product 30","product 31","product 32","product 33","product 34","product 35","product 36","product 37","product 38","product 39","product 4","product 40","product 5","product 6","product 7","product 8","product 9"}'::text,
	'correlation', '0.27579737'::real
);
SELECT * FROM pg_catalog.pg_restore_attribute_stats(
	'version', '180006'::integer,
	'schemaname', 'public',
	'relname', 'products',
	'attname', 'note (old)',
	'inherited', 'f'::boolean,
	'null_frac', '0.25'::real,
	'avg_width', '4'::integer,
	'n_distinct', '3'::real,
	'most_common_vals', '{"","\\N","a	b\\c
d"}'::text,
	'most_common_freqs', '{0.25,0.25,0.25}'::real[],
	'correlation', '0.2858732'::real
);
SELECT * FROM pg_catalog.pg_restore_attribute_stats(
	'version', '180006'::integer,
	'schemaname', 'public',
	'relname', 'products',
	'attname', 'price',
	'inherited', 'f'::boolean,
	'null_frac', '0'::real,
	'avg_width', '6'::integer,
	'n_distinct', '-1'::real,
	'histogram_bounds', '{1.50,3.00,4.50,6.00,7.50,9.00,10.50,12.00,13.50,15.00,16.50,18.00,19.50,21.00,22.50,24.00,25.50,27.00,28.50,30.00,31.50,33.00,34.50,36.00,37.50,39.00,40.50,42.00,43.50,45.00,46.50,48.00,49.50,51.00,52.50,54.00,55.50,57.00,58.50,60.00}'::text,
	'correlation', '1'::real
);


--
-- Name: by_product; Type: INDEX; Schema: app; Owner: seller
--

CREATE INDEX by_product ON app.orders USING btree (product);


--
-- Name: orders orders_pkey; Type: CONSTRAINT; Schema: app; Owner: seller
--

ALTER TABLE ONLY app.orders
    ADD CONSTRAINT orders_pkey PRIMARY KEY (id);


--
-- Name: products products_pkey; Type: CONSTRAINT; Schema: public; Owner: humdrum
--

ALTER TABLE ONLY public.products
    ADD CONSTRAINT products_pkey PRIMARY KEY (id);


--
-- Name: s; Type: STATISTICS; Schema: app; Owner: humdrum
--

CREATE STATISTICS app.s ON id, product FROM app.orders;


ALTER STATISTICS app.s OWNER TO humdrum;

--
-- Name: orders orders_product_fkey; Type: FK CONSTRAINT; Schema: app; Owner: seller
--

ALTER TABLE ONLY app.orders
    ADD CONSTRAINT orders_product_fkey FOREIGN KEY (product) REFERENCES public.products(id);


--
-- Statistics for Name: by_product; Type: STATISTICS DATA; Schema: app; Owner: -
--

SELECT * FROM pg_catalog.pg_restore_relation_stats(
	'version', '180006'::integer,
	'schemaname', 'app',
	'relname', 'by_product',
	'relpages', '2'::integer,
	'reltuples', '100'::real,
	'relallvisible', '0'::integer,
	'relallfrozen', '0'::integer
);


--
-- Statistics for Name: orders_pkey; Type: STATISTICS DATA; Schema: app; Owner: -
--

SELECT * FROM pg_catalog.pg_restore_relation_stats(
	'version', '180006'::integer,
	'schemaname', 'app',
	'relname', 'orders_pkey',
	'relpages', '2'::integer,
	'reltuples', '100'::real,
	'relallvisible', '0'::integer,
	'relallfrozen', '0'::integer
);


--
-- Statistics for Name: products_pkey; Type: STATISTICS DATA; Schema: public; Owner: -
--

SELECT * FROM pg_catalog.pg_restore_relation_stats(
	'version', '180006'::integer,
	'schemaname', 'public',
	'relname', 'products_pkey',
	'relpages', '2'::integer,
	'reltuples', '40'::real,
	'relallvisible', '0'::integer,
	'relallfrozen', '0'::integer
);


--
-- PostgreSQL database dump complete
--

\unrestrict og1RueNoIe0amW2YHDH0JVEtUuZjnwZSnsh3nLQfOgifrLobQ5U9ddND0PJXGvy

