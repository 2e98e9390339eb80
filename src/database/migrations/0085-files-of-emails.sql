-- outside of a transaction
-- A file of a record that goes with an e-mail: its bytes stay in the store of files, so a repeated attempt sends the same.
ALTER TABLE docket.attachment ADD COLUMN IF NOT EXISTS sha256 text COLLATE "C" REFERENCES docket.blob;
DROP INDEX CONCURRENTLY IF EXISTS docket.attachment_sha256_idx;
CREATE INDEX CONCURRENTLY attachment_sha256_idx ON docket.attachment (sha256) WHERE sha256 IS NOT NULL;
