"""A plain client of the Insert Benchmark on a DB-API driver, to compare our client's CPU with.

It runs the statements of l.i0 (inserts of 100 rows) and l.i1 (inserts of 50 rows over one connection, deletes of the 50
oldest over another), each a transaction, and prints what this process itself used per inserted row:

    insert_client.py postgres://USER:PASSWORD@/DB?host=FOLDER&port=PORT ROWS ROWS     needs psycopg or psycopg2
    insert_client.py mysql://USER:PASSWORD@/DB?socket=FILE ROWS ROWS                  needs mysqlclient or PyMySQL

    l.i0 6.02
    l.i1 11.4

With a scheme alone (postgres, mysql) it prints the driver that it would take, and its version.
"""

import importlib
import random
import resource
import sys
import time
from urllib.parse import parse_qs, unquote, urlsplit

COLUMNS = "dateandtime,cashregisterid,customerid,productid,price,data"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
INDEXES = {
    "marketsegment": "productid, customerid, price",
    "registersegment": "cashregisterid, customerid, price",
    "pdc": "price, dateandtime, customerid",
}


def driver(*names):
    for name in names:
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    sys.exit("install one of: " + ", ".join(names))


def described(module):
    # PyMySQL's `__version__` is that of mysqlclient, for which it passes.
    version = getattr(module, "VERSION_STRING", None) or getattr(module, "__version__", "of unknown version")
    return f"{module.__name__} {version}"


class Postgres:
    drivers = ("psycopg", "psycopg2")
    id_column = "bigserial PRIMARY KEY"
    time_type = "timestamp without time zone"

    def __init__(self, url, options):
        self.module = driver(*self.drivers)
        self.login = {
            "host": options["host"][0],
            "port": options["port"][0],
            "user": url.username,
            "password": unquote(url.password or ""),
            "dbname": url.path.lstrip("/"),
        }

    def connect(self):
        connection = self.module.connect(**self.login)
        connection.autocommit = True
        return connection.cursor()

    @staticmethod
    def delete(least, rows):
        oldest = f"transactionid >= {least} ORDER BY transactionid ASC LIMIT {rows}"
        return f"DELETE FROM peer WHERE transactionid IN (SELECT transactionid FROM peer WHERE {oldest})"


class MySql:
    drivers = ("MySQLdb", "pymysql")
    id_column = "bigint NOT NULL AUTO_INCREMENT PRIMARY KEY"
    time_type = "datetime"

    def __init__(self, url, options):
        self.module = driver(*self.drivers)
        self.login = {
            "unix_socket": options["socket"][0],
            "user": url.username,
            "passwd": unquote(url.password or ""),
            "db": url.path.lstrip("/"),
            "autocommit": True,
        }

    def connect(self):
        return self.module.connect(**self.login).cursor()

    @staticmethod
    def delete(least, rows):
        return f"DELETE FROM peer WHERE transactionid >= {least} ORDER BY transactionid ASC LIMIT {rows}"


def row(now):
    length = random.randint(10, 20)
    tail = "".join(random.choices(LETTERS, k=int(length * 0.375)))
    data = "a" * (length - len(tail)) + tail
    price = random.randrange(50000) / 100
    return f"('{now}',{random.randrange(1000)},{random.randrange(100000)},{random.randrange(10000)},{price:.2f},'{data}')"


def insert(cursor, rows):
    now = time.strftime("%Y-%m-%d %H:%M:%S")
    cursor.execute(f"INSERT INTO peer ({COLUMNS}) VALUES " + ",".join([row(now) for _ in range(rows)]))


def cpu_us():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return (used.ru_utime + used.ru_stime) * 1e6


def dialect(scheme):
    return Postgres if scheme == "postgres" else MySql


def main():
    if len(sys.argv) == 2:
        print(described(driver(*dialect(sys.argv[1]).drivers)))
        return
    address, bulk, churned = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    url = urlsplit(address)
    server = dialect(url.scheme)(url, parse_qs(url.query))
    inserter, deleter = server.connect(), server.connect()
    inserter.execute("DROP TABLE IF EXISTS peer")
    inserter.execute(
        f"CREATE TABLE peer (transactionid {server.id_column}, dateandtime {server.time_type}, cashregisterid int NOT NULL, "
        "customerid int NOT NULL, productid int NOT NULL, price int NOT NULL, data varchar(4000))"
    )
    began = cpu_us()
    for _ in range(bulk // 100):
        insert(inserter, 100)
    print("l.i0", round((cpu_us() - began) / bulk, 3))
    for name, columns in INDEXES.items():
        inserter.execute(f"CREATE INDEX peer_{name} ON peer ({columns})")
    began, least = cpu_us(), 1
    for _ in range(churned // 50):
        insert(inserter, 50)
        deleter.execute(server.delete(least, 50))
        least += 50
    print("l.i1", round((cpu_us() - began) / churned, 3))
    inserter.execute("DROP TABLE peer")


main()
