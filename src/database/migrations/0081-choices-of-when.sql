-- When each person is told of what: what was on or off has four choices.

ALTER TABLE docket.delivery_preference RENAME TO delivery_choice;
ALTER TABLE docket.delivery_choice ADD COLUMN pace text NOT NULL DEFAULT 'never'
  CHECK (pace IN ('hourly', 'daily', 'never'));
COMMENT ON TABLE docket.delivery_choice IS 'A row: not immediately to this user by this channel.';

-- HH:MM in the zone of the user; the quiet hours end on the next day if they begin later than they end.
CREATE TABLE docket.delivery_times (
  user_id integer PRIMARY KEY,
  daily_at text NOT NULL DEFAULT '08:00',
  quiet_from text,
  quiet_to text
);

-- The mailing of the digest in which it is sent: until then its own time is infinity.
ALTER TABLE docket.delivery ADD COLUMN digest_id bigint;

-- Processes of the previous version use these while the new one starts.
CREATE VIEW docket.delivery_preference AS
  SELECT user_id, entity_key, operation, channel FROM docket.delivery_choice WHERE pace = 'never';
CREATE OR REPLACE VIEW docket.email_preference AS
  SELECT user_id, entity_key, operation FROM docket.delivery_choice WHERE channel = 'email' AND pace = 'never';
