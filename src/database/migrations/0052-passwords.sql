-- People who sign in without an identity provider: their passwords, their invitations, and guesses at both.

CREATE TABLE docket.password (
  user_id integer PRIMARY KEY,
  -- By Argon2id, in the PHC string format: the parameters, the salt and the hash.
  hash text NOT NULL,
  set_at timestamptz(3) NOT NULL DEFAULT now()
);

-- One for each user: a further one replaces it.
CREATE TABLE docket.invitation (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id integer NOT NULL UNIQUE,
  digest text NOT NULL UNIQUE,
  -- Null for one of the command line.
  invited_by integer,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL
);

-- Browsers in which a user has signed in before, by the digest of their cookie.
CREATE TABLE docket.known_browser (
  digest text NOT NULL,
  user_id integer NOT NULL,
  last_used_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, digest)
);

-- Failed sign-ins, by the digest of what they were for: an address, or a known browser.
CREATE TABLE docket.failed_sign_in (
  target text PRIMARY KEY,
  failures integer NOT NULL,
  last_at timestamptz(3) NOT NULL,
  open_at timestamptz(3) NOT NULL
);
CREATE INDEX failed_sign_in_last_at_idx ON docket.failed_sign_in (last_at);
