-- What the database remembers of earlier definitions, so that it can follow them forward and back.

-- What was called otherwise: kind is entity, field, step or value; column_name is that of a value's field.
CREATE TABLE docket.rename (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL,
  entity_key text NOT NULL,
  column_name text NOT NULL DEFAULT '',
  earlier text NOT NULL,
  later text NOT NULL,
  -- Whether history, jobs and notifications say the later name already.
  is_followed boolean NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT now()
);

-- The rules that the records of a column were compared with; the latest is in force.
CREATE TABLE docket.compared_rule (
  entity_key text NOT NULL,
  column_name text NOT NULL,
  digest text NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (entity_key, column_name, digest)
);
