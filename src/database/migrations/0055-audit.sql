-- outside of a transaction
-- What happens besides changes of records: sign-ins, credentials, exports, definitions. Rows are only added, and removed when they are old.

CREATE TABLE IF NOT EXISTS docket.audit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz(3) NOT NULL DEFAULT now(),
  kind text NOT NULL,
  -- Who did it; null: the service, the command line, or a person who is not known.
  user_id integer,
  acting_user_id integer,
  -- The user whom it concerns.
  about_user_id integer,
  entity_key text,
  entity_id integer,
  session_id integer,
  address text,
  user_agent text,
  -- Refusals that are alike within a minute are one row.
  times integer NOT NULL DEFAULT 1,
  repeat_key text UNIQUE,
  detail jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX IF NOT EXISTS audit_at_idx ON docket.audit (at, id);
CREATE INDEX IF NOT EXISTS audit_kind_idx ON docket.audit (kind, at, id);
CREATE INDEX IF NOT EXISTS audit_user_idx ON docket.audit (user_id, at, id) WHERE user_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS audit_acting_user_idx ON docket.audit (acting_user_id, at, id)
WHERE acting_user_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS audit_about_user_idx ON docket.audit (about_user_id, at, id)
WHERE about_user_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS audit_entity_idx ON docket.audit (entity_key, entity_id) WHERE entity_key IS NOT NULL;

-- Digests of the definitions that were applied last, by which a start knows which of them have changed.
CREATE TABLE IF NOT EXISTS docket.applied_definition (
  kind text NOT NULL,
  key text NOT NULL,
  digest text NOT NULL,
  -- Digests of its parts, such as the fields of an entity, by name.
  parts jsonb NOT NULL,
  PRIMARY KEY (kind, key)
);

-- The history of all records in the order of time, and what is searched in it and happens seldom.
DROP INDEX CONCURRENTLY IF EXISTS docket.history_at_idx;
CREATE INDEX CONCURRENTLY history_at_idx ON docket.history (at, id);
DROP INDEX CONCURRENTLY IF EXISTS docket.history_seldom_idx;
CREATE INDEX CONCURRENTLY history_seldom_idx ON docket.history (operation, at, id)
WHERE operation NOT IN ('create', 'change', 'proceedToStep');
DROP INDEX CONCURRENTLY IF EXISTS docket.history_acting_user_idx;
CREATE INDEX CONCURRENTLY history_acting_user_idx ON docket.history (acting_user_id, at, id)
WHERE acting_user_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS docket.history_user_at_idx;
CREATE INDEX CONCURRENTLY history_user_at_idx ON docket.history (user_id, at, id) WHERE user_id IS NOT NULL;
-- It does what this one did.
DROP INDEX CONCURRENTLY IF EXISTS docket.history_user_idx;
