-- Who follows a record: by their own choice, or because they commented or were mentioned. One who has left stays, so that no rule
-- makes them follow again.

CREATE TABLE docket.follower (
  entity_key text NOT NULL,
  entity_id integer NOT NULL,
  user_id integer NOT NULL,
  -- chosen, commented or mentioned.
  reason text NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT now(),
  left_at timestamptz(3),
  PRIMARY KEY (entity_key, entity_id, user_id)
);
CREATE INDEX follower_user_idx ON docket.follower (user_id);
