-- The bytes of an upload without the place where a picture was taken (docs/files.md): its own where there is none. Null: not known.
ALTER TABLE docket.upload ADD COLUMN placeless_sha256 text COLLATE "C" REFERENCES docket.blob;
CREATE INDEX upload_placeless_idx ON docket.upload (placeless_sha256) WHERE placeless_sha256 IS NOT NULL;
