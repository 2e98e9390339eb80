-- outside of a transaction
-- A message to a room is for all recipients of an event together: it has what they read alike, and is queued once.

ALTER TABLE docket.delivery ADD COLUMN IF NOT EXISTS shared json;
DROP INDEX CONCURRENTLY IF EXISTS docket.delivery_shared_idx;
CREATE UNIQUE INDEX CONCURRENTLY delivery_shared_idx ON docket.delivery (mailing_id, channel) WHERE shared IS NOT NULL;
