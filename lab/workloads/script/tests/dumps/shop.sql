--
-- PostgreSQL database dump
--

\restrict ehlw5aZvr8TllJRNE9A2LrzEzmc8u66Tjc3xPCIOl64DND7L7i37e1kWZloEbd1

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: app; Type: SCHEMA; Schema: -; Owner: postgres
--

CREATE SCHEMA app;


ALTER SCHEMA app OWNER TO postgres;

--
-- Name: state; Type: TYPE; Schema: app; Owner: postgres
--

CREATE TYPE app.state AS ENUM (
    'new',
    'paid; sent'
);


ALTER TYPE app.state OWNER TO postgres;

--
-- Name: total(); Type: FUNCTION; Schema: app; Owner: postgres
--

CREATE FUNCTION app.total() RETURNS bigint
    LANGUAGE sql
    AS $$ SELECT count(*) FROM app.orders; -- all; 'of them
$$;


ALTER FUNCTION app.total() OWNER TO postgres;

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


ALTER TABLE app.orders_id_seq OWNER TO seller;

--
-- Name: orders_id_seq; Type: SEQUENCE OWNED BY; Schema: app; Owner: seller
--

ALTER SEQUENCE app.orders_id_seq OWNED BY app.orders.id;


--
-- Name: paid; Type: VIEW; Schema: app; Owner: postgres
--

CREATE VIEW app.paid AS
 SELECT orders.id
   FROM app.orders
  WHERE (orders.state = 'paid; sent'::app.state);


ALTER TABLE app.paid OWNER TO postgres;

--
-- Name: products; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE public.products (
    id integer NOT NULL,
    name character varying(40) NOT NULL,
    price numeric(8,2),
    "note (old)" text
);


ALTER TABLE public.products OWNER TO postgres;

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
-- Data for Name: products; Type: TABLE DATA; Schema: public; Owner: postgres
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
-- Name: orders orders_pkey; Type: CONSTRAINT; Schema: app; Owner: seller
--

ALTER TABLE ONLY app.orders
    ADD CONSTRAINT orders_pkey PRIMARY KEY (id);


--
-- Name: products products_pkey; Type: CONSTRAINT; Schema: public; Owner: postgres
--

ALTER TABLE ONLY public.products
    ADD CONSTRAINT products_pkey PRIMARY KEY (id);


--
-- Name: by_product; Type: INDEX; Schema: app; Owner: seller
--

CREATE INDEX by_product ON app.orders USING btree (product);


--
-- Name: orders orders_product_fkey; Type: FK CONSTRAINT; Schema: app; Owner: seller
--

ALTER TABLE ONLY app.orders
    ADD CONSTRAINT orders_product_fkey FOREIGN KEY (product) REFERENCES public.products(id);


--
-- PostgreSQL database dump complete
--

\unrestrict ehlw5aZvr8TllJRNE9A2LrzEzmc8u66Tjc3xPCIOl64DND7L7i37e1kWZloEbd1

