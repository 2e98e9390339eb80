-- Data about earlier definitions, so that the database can follow changes in both directions.

-- Renames: kind is entity, field, step or value; column_name is the column of a value's field.
CREATE TABLE docket.rename (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL,
  entity_key text NOT NULL,
  column_name text NOT NULL DEFAULT '',
  earlier text NOT NULL,
  later text NOT NULL,
  -- Whether history, jobs and notifications use the later name already.
  is_followed boolean NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT now()
);

-- The rules that the records of a column were checked against; the latest one applies.
CREATE TABLE docket.compared_rule (
  entity_key text NOT NULL,
  column_name text NOT NULL,
  digest text NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (entity_key, column_name, digest)
);
