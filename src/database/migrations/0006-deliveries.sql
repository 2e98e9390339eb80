-- E-mails: their content, recipients and attachments, and the preferences of users.

-- One rule applied to one event: the data that all its e-mails share.
CREATE TABLE docket.mailing (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event text NOT NULL,
  entry text NOT NULL,
  entity_key text NOT NULL,
  entity_id integer NOT NULL,
  operation text NOT NULL,
  template_id text,
  -- The data of templates besides the recipient: record, actor, entity, action, comment.
  data json NOT NULL,
  -- Codes and names of the requested attachments: { "printableDocuments": [], "documentFunctions": [] }.
  wished json NOT NULL,
  -- waiting: its attachments are not created yet; ready: its e-mails may be sent.
  state text NOT NULL DEFAULT 'ready',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  UNIQUE (event, entry)
);
CREATE INDEX mailing_created_at_idx ON docket.mailing (created_at);

-- One e-mail to one user. queued → sending → sent, or failed → … → dead.
CREATE TABLE docket.delivery (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  mailing_id bigint NOT NULL REFERENCES docket.mailing ON DELETE CASCADE,
  user_id integer NOT NULL,
  notification_id uuid NOT NULL,
  status text NOT NULL DEFAULT 'queued',
  tries integer NOT NULL DEFAULT 0,
  last_error text,
  -- While sending: when another process may take it over. Otherwise: it is due at this time.
  due_at timestamptz(3) NOT NULL DEFAULT now(),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  sent_at timestamptz(3),
  UNIQUE (mailing_id, user_id)
);
CREATE INDEX delivery_due_idx ON docket.delivery (due_at, id) WHERE status IN ('queued', 'failed', 'sending');
CREATE INDEX delivery_status_idx ON docket.delivery (status, id) WHERE status <> 'sent';
CREATE INDEX delivery_user_idx ON docket.delivery (user_id, id);

-- Created once, shared by every delivery of a mailing; `fault` is the error if a document could not be created.
CREATE TABLE docket.attachment (
  mailing_id bigint NOT NULL REFERENCES docket.mailing ON DELETE CASCADE,
  position integer NOT NULL,
  filename text NOT NULL,
  mimetype text,
  size integer,
  hash bytea,
  fault text,
  PRIMARY KEY (mailing_id, position)
);
CREATE INDEX attachment_hash_idx ON docket.attachment (hash);
CREATE TABLE docket.attachment_data (
  hash bytea PRIMARY KEY,
  data bytea,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE docket.email_preference (
  user_id integer NOT NULL,
  entity_key text NOT NULL,
  operation text NOT NULL,
  PRIMARY KEY (user_id, entity_key, operation)
);
COMMENT ON TABLE docket.email_preference IS 'A row: no e-mail to this user for this.';

-- The time of the next e-mail, so that all processes together respect the rate limit.
CREATE TABLE docket.email_pace (next_at timestamptz NOT NULL);
INSERT INTO docket.email_pace VALUES (now());

-- Signs URLs in e-mails: unsubscribing, attachments behind a link.
CREATE TABLE docket.signing_key (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key bytea NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
