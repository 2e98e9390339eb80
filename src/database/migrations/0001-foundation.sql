-- Docket's own data besides the records: history, idempotency keys and API keys.

CREATE SCHEMA IF NOT EXISTS records;

CREATE TABLE docket.history (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  entity_key text NOT NULL,
  entity_id integer NOT NULL,
  operation text NOT NULL,
  changes json NOT NULL,
  comment text,
  user_id integer,
  at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX history_record_idx ON docket.history (entity_key, entity_id, id);

CREATE TABLE docket.idempotency_key (
  user_id integer NOT NULL,
  key text NOT NULL,
  request_digest text NOT NULL,
  status integer,
  headers json,
  body text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, key)
);
CREATE INDEX idempotency_key_created_at_idx ON docket.idempotency_key (created_at);

CREATE TABLE docket.api_key (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  user_id integer NOT NULL,
  digest text NOT NULL UNIQUE,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3)
);
