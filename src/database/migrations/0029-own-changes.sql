-- Users list what they have changed themselves, the newest first.
CREATE INDEX history_user_idx ON docket.history (user_id, id) WHERE user_id IS NOT NULL;
