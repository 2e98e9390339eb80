-- Notifications, counters, mailings and deliveries may be on servers of their own, by user. Such a server has the same tables; those
-- of records stay empty there, and those of the feed stay empty in the database of the records.

-- In the database of the records: every server that it ever had. Ids of its mailings and deliveries leave this remainder, modulo 64.
CREATE TABLE docket.feed_server (
  name text PRIMARY KEY,
  remainder integer NOT NULL UNIQUE CHECK (remainder BETWEEN 0 AND 63)
);

-- In the database of the records: where the feed is.
CREATE TABLE docket.feed_placement (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  -- By which servers recognise to whom they belong.
  identity uuid NOT NULL DEFAULT gen_random_uuid(),
  -- Names of servers; none: here.
  names text[] NOT NULL DEFAULT '{}',
  -- While rows are moved: where they will be.
  moving_to text[],
  -- Earlier ids of mailings and deliveries were given here.
  first_id bigint NOT NULL DEFAULT 1
);

-- On a server of its own: whose it is.
CREATE TABLE docket.feed_membership (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  identity uuid NOT NULL,
  name text NOT NULL
);

-- On a server of its own: jobs of its statements, until a worker has enqueued them in the database of the records.
CREATE TABLE docket.feed_job (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL,
  payload json NOT NULL,
  run_at timestamptz NOT NULL
);

-- The address when it was queued, on a server of its own: people are not there.
ALTER TABLE docket.delivery ADD COLUMN address text;
