-- API keys that end by themselves; when each user was last seen.

-- Null: it does not.
ALTER TABLE docket.api_key ADD COLUMN expires_at timestamptz(3);
CREATE INDEX api_key_user_id_idx ON docket.api_key (user_id);

CREATE TABLE docket.last_seen (
  user_id integer PRIMARY KEY,
  -- To the minute.
  seen_at timestamptz(3) NOT NULL DEFAULT now()
);
INSERT INTO docket.last_seen (user_id, seen_at)
SELECT used.user_id, max(used.at)
FROM (
  SELECT user_id, last_used_at AS at FROM docket.api_key WHERE last_used_at IS NOT NULL
  UNION ALL SELECT coalesce(acting_user_id, user_id), last_used_at FROM docket.session
) used
GROUP BY used.user_id;
