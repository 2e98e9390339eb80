-- outside of a transaction
DROP INDEX CONCURRENTLY IF EXISTS docket.delivery_digest_idx;
CREATE INDEX CONCURRENTLY delivery_digest_idx ON docket.delivery (digest_id) WHERE digest_id IS NOT NULL;
