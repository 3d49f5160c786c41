-- From schema 4 to 5: which subjects take part in a session.
ALTER TABLE session ADD COLUMN subjects TEXT NOT NULL DEFAULT '[]';
