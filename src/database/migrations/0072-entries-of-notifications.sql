-- outside of a transaction
-- Which entry of the history a notification or a mailing is about; 0 where an earlier version has stored it, which says only when.

ALTER TABLE docket.notification ADD COLUMN IF NOT EXISTS history_id bigint DEFAULT 0;
ALTER TABLE docket.mailing ADD COLUMN IF NOT EXISTS history_id bigint DEFAULT 0;

-- Mailings of a record are read by their time.
DROP INDEX CONCURRENTLY IF EXISTS docket.mailing_happened_idx;
CREATE INDEX CONCURRENTLY mailing_happened_idx ON docket.mailing (entity_key, entity_id, happened_at);
DROP INDEX CONCURRENTLY IF EXISTS docket.mailing_record_idx;
