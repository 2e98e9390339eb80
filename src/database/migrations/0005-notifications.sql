-- Stored notifications: one row per recipient and event, with exact counters.

-- Derived from event, rule and recipient, so that a repeated attempt has the same id: a UUIDv7 of the event's
-- time whose other 74 bits come from a digest.
CREATE FUNCTION docket.notification_id(at timestamptz, event text, entry text, user_id integer)
RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT overlay(
    overlay(
      md5(length(event) || ' ' || event || ' ' || entry || ' ' || user_id)
      PLACING lpad(to_hex(floor(extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' FROM 1
    )
    -- The variant's two bits are 10.
    PLACING translate(
      substr(md5(length(event) || ' ' || event || ' ' || entry || ' ' || user_id), 17, 1),
      '0123456789abcdef', '89ab89ab89ab89ab'
    ) FROM 17
  )::uuid
$$;

CREATE TABLE docket.notification (
  _id uuid PRIMARY KEY,
  timestamp timestamptz(3) NOT NULL,
  user_id integer NOT NULL,
  entity_id integer NOT NULL,
  seen boolean NOT NULL DEFAULT false,
  entity_key text NOT NULL,
  -- { icon, title, message, url, due_at }
  content json NOT NULL
);
-- Timestamps of one user are unique and increase in the order of the commits: see notification_count.
CREATE UNIQUE INDEX notification_user_idx ON docket.notification (user_id, timestamp);
CREATE INDEX notification_unseen_idx ON docket.notification (user_id, timestamp) WHERE NOT seen;
CREATE INDEX notification_seen_idx ON docket.notification (user_id, timestamp) WHERE seen;

-- A transaction that stores, marks or removes notifications of a user locks this row first (several rows in
-- the order of user_id), until the commit.
CREATE TABLE docket.notification_count (
  user_id integer PRIMARY KEY,
  total integer NOT NULL,
  unseen integer NOT NULL CHECK (unseen BETWEEN 0 AND total),
  -- Timestamp of the latest notification that the user ever had.
  last_at timestamptz(3) NOT NULL
) WITH (fillfactor = 50);
