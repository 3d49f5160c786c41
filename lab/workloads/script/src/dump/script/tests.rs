//! What is a statement, what a row, and what is cut off.

use std::io::{BufReader, Cursor, Read};

use super::*;

fn script(text: &str) -> Script {
    let text: Box<dyn Read> = Box::new(Cursor::new(text.to_owned()));
    Script::of_file(BufReader::with_capacity(1 << 16, text), "d.sql".to_owned()).expect("read")
}

/// Statements with their lines, rows of COPY below theirs.
fn read(text: &str) -> Result<Vec<String>, String> {
    let (mut script, mut all) = (script(text), Vec::new());
    while let Some(item) = script.next().map_err(|fault| fault.to_string())? {
        match item {
            Item::Sql { text, place } => {
                all.push(
                    format!("{place} {}", String::from_utf8(text).expect("UTF-8")).replace("d.sql:", ""),
                );
            }
            Item::Rows { table, columns, place } => {
                all.push(format!("{place} {table} ({columns})").replace("d.sql:", ""));
                let mut row = Vec::new();
                while script.row(&mut row).map_err(|fault| fault.to_string())? {
                    all.push(format!("  {}", String::from_utf8(std::mem::take(&mut row)).expect("UTF-8")));
                }
            }
        }
    }
    Ok(all)
}

const POSTGRES: &str = r#"--
-- PostgreSQL database dump
--

\restrict 6SlK
SET standard_conforming_strings = on;
CREATE FUNCTION public.f() RETURNS integer
    LANGUAGE sql
    AS $_$ SELECT 1; -- ' $_$;
COMMENT ON TABLE public.t IS 'a;''\';
SELECT E'\';', $1, a$b$ /* ; /* ' */ ; */, "x;" ;
COPY public.t (id, "a (b)") FROM stdin;
1	x;y
2	\N
\.


ALTER TABLE ONLY public.t
    ADD CONSTRAINT t_pkey PRIMARY KEY (id);
\unrestrict 6SlK

--
-- PostgreSQL database dump complete
--
"#;

#[test]
fn what_pg_dump_writes_is_cut_into_statements_and_rows() {
    let wanted = [
        "6:1 SET standard_conforming_strings = on",
        "7:1 CREATE FUNCTION public.f() RETURNS integer\n    LANGUAGE sql\n    AS $_$ SELECT 1; -- ' $_$",
        "10:1 COMMENT ON TABLE public.t IS 'a;''\\'",
        "11:1 SELECT E'\\';', $1, a$b$ /* ; /* ' */ ; */, \"x;\"",
        "12:1 public.t (id, \"a (b)\")",
        "  1\tx;y",
        "  2\t\\N",
        "18:1 ALTER TABLE ONLY public.t\n    ADD CONSTRAINT t_pkey PRIMARY KEY (id)",
    ];
    assert_eq!(read(POSTGRES).expect("read"), wanted);
}

const MYSQL: &str = r#"-- MySQL dump 10.13  Distrib 8.0.33, for Linux (x86_64)
/*!50503 SET NAMES utf8mb4 */;
CREATE TABLE `t;` (
  `id` int NOT NULL, # a remark;
  `c` char(3) COMMENT 'it''s; \'' -- not the end;
);
INSERT INTO `t;` VALUES (1,'a\\'),(2,'b\';\n'),(3,--1);
DELIMITER ;;
/*!50003 CREATE*/ /*!50003 TRIGGER x BEFORE INSERT ON t FOR EACH ROW BEGIN SET @a = 1; END */;;
DELIMITER ;
/*!40101 SET SQL_MODE=@OLD_SQL_MODE */;
-- Dump completed on 2026-11-25 14:00:00
"#;

#[test]
fn what_programs_of_the_other_family_write_is_cut_into_statements() {
    let wanted = [
        "2:1 /*!50503 SET NAMES utf8mb4 */",
        "3:1 CREATE TABLE `t;` (\n  `id` int NOT NULL, \n  `c` char(3) COMMENT 'it''s; \\'' \n)",
        "7:1 INSERT INTO `t;` VALUES (1,'a\\\\'),(2,'b\\';\\n'),(3,--1)",
        "9:1 /*!50003 CREATE*/ /*!50003 TRIGGER x BEFORE INSERT ON t FOR EACH ROW BEGIN SET @a = 1; END */",
        "11:1 /*!40101 SET SQL_MODE=@OLD_SQL_MODE */",
    ];
    assert_eq!(read(MYSQL).expect("read"), wanted);
}

/// Wherever a dump is cut, it is refused: at the end of a statement because its last comment is missing.
#[test]
fn a_dump_that_is_cut_off_anywhere_is_refused() {
    for whole in [POSTGRES, MYSQL] {
        let last =
            whole.find(if whole == POSTGRES { " complete" } else { "-- Dump completed" }).expect("there");
        for end in (80..last).step_by(7) {
            let said = read(&whole[..end]).expect_err("refused");
            assert!(said.contains("the dump is cut off or damaged"), "{end}: {said}");
        }
    }
    let said = read(&POSTGRES[..POSTGRES.find("2\t").expect("a row")]).expect_err("refused");
    assert_eq!(said, "d.sql:12:1: the dump is cut off or damaged: the rows of this COPY have no end");
}

#[test]
fn a_text_without_comments_of_a_program_needs_no_end() {
    assert_eq!(read("SELECT 1;\n\n  SELECT 2;"), Ok(vec!["1:1 SELECT 1".into(), "3:1 SELECT 2".into()]));
    assert_eq!(
        read("SELECT 1;\nSELECT 'a"),
        Err("d.sql:2:1: the dump is cut off or damaged: the last statement has no end".into())
    );
}
