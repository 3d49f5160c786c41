-- From schema 5 to 6: the subjects of a session.
ALTER TABLE session ADD COLUMN subjects TEXT NOT NULL DEFAULT '[]';
