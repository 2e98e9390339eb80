-- Files that are imported. The rows of a run are in a table of its own, docket.import_<id>, which ends with it.

CREATE TABLE docket.import_run (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  entity_key text NOT NULL,
  user_id integer NOT NULL,
  acting_user_id integer,
  -- Of the API key that it was sent with; null: everything that the user may do.
  key_scope text,
  file_name text,
  state text NOT NULL,
  -- What is done with each column of the file: settings and columns, as JSON.
  plan jsonb NOT NULL,
  -- Of the definitions by which the file was read.
  digest text NOT NULL,
  -- Whether it goes on to write when it is checked.
  writes boolean NOT NULL,
  -- Whether nothing is written of a file with faults.
  all_or_nothing boolean NOT NULL,
  -- Whether the checks have come to their end.
  is_checked boolean NOT NULL DEFAULT false,
  rows integer NOT NULL DEFAULT 0,
  -- The next step of the checks; then the last row of the batches that are committed.
  place integer NOT NULL DEFAULT 0,
  faulty integer NOT NULL DEFAULT 0,
  created integer NOT NULL DEFAULT 0,
  changed integer NOT NULL DEFAULT 0,
  unchanged integer NOT NULL DEFAULT 0,
  -- Why it has stopped or failed.
  error text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX import_run_user_idx ON docket.import_run (user_id, id);
CREATE INDEX import_run_updated_idx ON docket.import_run (updated_at);
