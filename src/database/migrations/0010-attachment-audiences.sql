-- Attachments show each recipient what their role may read: one set of documents for each audience of a
-- mailing. The audience '' may read everything.

ALTER TABLE docket.attachment ADD COLUMN audience text NOT NULL DEFAULT '';
ALTER TABLE docket.attachment DROP CONSTRAINT attachment_pkey;
ALTER TABLE docket.attachment ADD PRIMARY KEY (mailing_id, audience, position);
ALTER TABLE docket.delivery ADD COLUMN audience text NOT NULL DEFAULT '';

-- The audiences whose documents are created, also if there are none.
CREATE TABLE docket.mailing_audience (
  mailing_id bigint NOT NULL REFERENCES docket.mailing ON DELETE CASCADE,
  audience text NOT NULL,
  PRIMARY KEY (mailing_id, audience)
);
INSERT INTO docket.mailing_audience SELECT id, '' FROM docket.mailing WHERE state = 'ready';
