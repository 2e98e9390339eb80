-- What was sent and marked: e-mails as the provider accepted them, how exports ended, which call marked a
-- notification.

-- Templates, roles and addresses change after an e-mail was sent.
CREATE TABLE docket.sent_message (
  delivery_id bigint PRIMARY KEY REFERENCES docket.delivery ON DELETE CASCADE,
  address text NOT NULL,
  subject text,
  -- JSON, compressed with Zstandard: headers, text, html.
  content bytea NOT NULL
);

-- One export; it is removed some time after its end.
CREATE TABLE docket.export_run (
  user_id integer NOT NULL,
  -- Clients may choose it, so only the caller's own are unique.
  request_id text NOT NULL,
  entity_key text NOT NULL,
  format text NOT NULL,
  state text NOT NULL,
  rows bigint NOT NULL,
  bytes bigint NOT NULL,
  digest text,
  begun_at timestamptz(3) NOT NULL,
  -- A process renews it while the export runs.
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, request_id)
);

-- When it was marked as seen; the marks of one user have different times.
ALTER TABLE docket.notification ADD COLUMN seen_at timestamptz(3);
ALTER TABLE docket.notification_count ADD COLUMN marked_at timestamptz(3);
