-- What several clients do not use of a slice.
ALTER TABLE slice ADD COLUMN idle_ns INTEGER;
