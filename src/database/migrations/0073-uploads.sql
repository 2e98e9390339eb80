-- Bytes in the store of files, and uploads that wait to be used by a record (docs/files.md).

CREATE TABLE docket.blob (
  sha256 text COLLATE "C" PRIMARY KEY,
  bytes bigint NOT NULL,
  -- stored: its bytes are in the store. deleting: they go, or have not come yet; nothing may use them.
  state text NOT NULL DEFAULT 'deleting',
  -- Whether a record has used it: then it is kept for FILES_KEEP_DAYS, because a backup may name it.
  is_adopted boolean NOT NULL DEFAULT false,
  -- Null: something refers to it, as the sweeper has found.
  unused_since timestamptz(3) DEFAULT now()
);
CREATE INDEX blob_unused_idx ON docket.blob (unused_since) WHERE unused_since IS NOT NULL;
CREATE INDEX blob_not_adopted_idx ON docket.blob (sha256) INCLUDE (bytes) WHERE NOT is_adopted;

CREATE TABLE docket.upload (
  -- Nobody can guess it.
  id text COLLATE "C" PRIMARY KEY,
  sha256 text COLLATE "C" NOT NULL REFERENCES docket.blob,
  user_id integer NOT NULL,
  filename text NOT NULL,
  mimetype text NOT NULL,
  bytes bigint NOT NULL,
  -- Of an image, in pixels.
  width integer,
  height integer,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL DEFAULT now() + interval '24 hours'
);
CREATE INDEX upload_user_idx ON docket.upload (user_id) INCLUDE (bytes);
CREATE INDEX upload_sha256_idx ON docket.upload (sha256);
CREATE INDEX upload_expires_idx ON docket.upload (expires_at);
