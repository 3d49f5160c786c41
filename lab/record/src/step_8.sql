-- From schema 7 to 8: what each script takes of a mix.
ALTER TABLE slice ADD COLUMN scripts TEXT;
