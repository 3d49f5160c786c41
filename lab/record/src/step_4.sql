-- From schema 3 to 4: time stamps within slices, and slices that a rule blames on the host.
ALTER TABLE slice ADD COLUMN quarter_ns TEXT;
ALTER TABLE slice ADD COLUMN blamed INTEGER NOT NULL DEFAULT 0;
