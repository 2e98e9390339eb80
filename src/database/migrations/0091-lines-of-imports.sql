-- Imports also write lines with their records, which an undo removes with them.

ALTER TABLE docket.import_record
  -- Of lines; '' for the records of the file, whose entity the run has.
  ADD COLUMN entity_key text NOT NULL DEFAULT '',
  DROP CONSTRAINT import_record_pkey,
  ADD PRIMARY KEY (import_id, entity_key, entity_id);
