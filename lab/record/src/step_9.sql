-- From schema 8 to 9: how the lab reaches a server that it did not start.
ALTER TABLE subject ADD COLUMN link TEXT;
