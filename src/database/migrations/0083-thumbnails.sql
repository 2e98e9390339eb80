-- Thumbnails of pictures (docs/files.md): they go with the bytes that they are made of. What is missing is made again, so nothing
-- here is logged, and no backup has the rows.

CREATE UNLOGGED TABLE docket.thumbnail (
  -- Of the picture.
  sha256 text COLLATE "C" NOT NULL REFERENCES docket.blob ON DELETE CASCADE,
  size integer NOT NULL,
  image bytea,
  -- Why there is none.
  fault text,
  made_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (sha256, size),
  CHECK ((image IS NULL) <> (fault IS NULL))
);
