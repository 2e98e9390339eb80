-- A rule may use several channels for one recipient, each with its own deliveries, preferences and rate.

ALTER TABLE docket.delivery ADD COLUMN channel text NOT NULL DEFAULT 'email';
ALTER TABLE docket.delivery DROP CONSTRAINT delivery_mailing_id_user_id_key;
ALTER TABLE docket.delivery ADD UNIQUE (mailing_id, user_id, channel);
DROP INDEX docket.delivery_due_idx;
CREATE INDEX delivery_due_idx ON docket.delivery (channel, due_at, id) WHERE status IN ('queued', 'failed', 'sending');

ALTER TABLE docket.email_preference RENAME TO delivery_preference;
ALTER TABLE docket.delivery_preference ADD COLUMN channel text NOT NULL DEFAULT 'email';
ALTER TABLE docket.delivery_preference DROP CONSTRAINT email_preference_pkey;
ALTER TABLE docket.delivery_preference ADD PRIMARY KEY (user_id, entity_key, operation, channel);
COMMENT ON TABLE docket.delivery_preference IS 'A row: nothing of this to this user by this channel.';

-- The time of the next delivery, so that all processes together respect the rate limit.
ALTER TABLE docket.email_pace RENAME TO delivery_rate;
ALTER TABLE docket.delivery_rate ADD COLUMN channel text NOT NULL DEFAULT 'email';
ALTER TABLE docket.delivery_rate ADD PRIMARY KEY (channel);

-- Processes of the previous version use these while the new one starts.
CREATE VIEW docket.email_preference AS
  SELECT user_id, entity_key, operation FROM docket.delivery_preference WHERE channel = 'email';
CREATE VIEW docket.email_pace AS
  SELECT next_at FROM docket.delivery_rate WHERE channel = 'email';
