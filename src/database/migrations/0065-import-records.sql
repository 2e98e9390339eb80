-- What imports have written, so that a whole import can be undone while nobody has changed its records. A row goes when its record
-- is undone, and all of them with their run.

CREATE TABLE docket.import_record (
  import_id integer NOT NULL REFERENCES docket.import_run ON DELETE CASCADE,
  entity_id integer NOT NULL,
  is_created boolean NOT NULL,
  -- After the import has written it: a record with another one was changed since.
  version integer NOT NULL,
  -- Why it was not undone.
  reason text,
  PRIMARY KEY (import_id, entity_id)
);
