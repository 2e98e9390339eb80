-- What users have changed themselves, and which entry of the history a mailing is about.

CREATE INDEX history_user_idx ON docket.history (user_id, id) WHERE user_id IS NOT NULL;

-- When the event happened; null for those of an earlier version.
ALTER TABLE docket.mailing ADD COLUMN happened_at timestamptz(3);
