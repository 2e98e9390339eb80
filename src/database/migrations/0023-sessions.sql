-- Sessions of browsers, and codes that sign in once during development; only digests of their secrets are stored.

CREATE TABLE docket.session (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  digest text NOT NULL UNIQUE,
  user_id integer NOT NULL,
  -- The key that signed in: its revocation ends the session.
  api_key_id integer,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  user_agent text,
  may_switch boolean NOT NULL DEFAULT false
);
CREATE INDEX session_user_idx ON docket.session (user_id, id);
CREATE INDEX session_expires_at_idx ON docket.session (expires_at);

CREATE TABLE docket.login_code (
  digest text PRIMARY KEY,
  user_id integer NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
