-- When dates of records are due, as rules of notifications say it: one row for each field, offset and time of the day.
CREATE TABLE docket.date_schedule (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  entity_key text NOT NULL,
  column_name text NOT NULL,
  shift text NOT NULL,
  at text NOT NULL,
  -- Nothing that was due before is told of: the rules were not deployed yet.
  begins_at timestamptz(3) NOT NULL DEFAULT now(),
  -- The time up to which dates were read.
  swept_to timestamptz(3) NOT NULL DEFAULT now(),
  UNIQUE (entity_key, column_name, shift, at)
);

-- A row means: this date of this record was told of.
CREATE TABLE docket.date_notice (
  schedule_id integer NOT NULL REFERENCES docket.date_schedule ON DELETE CASCADE,
  record_id integer NOT NULL,
  value text NOT NULL,
  told_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (schedule_id, record_id, value)
);
