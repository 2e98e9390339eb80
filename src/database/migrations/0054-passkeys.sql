-- Passkeys, second factors of passwords, and sign-ins that wait for their second step.

CREATE TABLE docket.passkey (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id integer NOT NULL,
  -- In base64url, as browsers send it.
  credential_id text NOT NULL UNIQUE,
  -- In the format of COSE (RFC 9052).
  public_key bytea NOT NULL,
  counter bigint NOT NULL,
  transports text[] NOT NULL,
  name text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3)
);
CREATE INDEX passkey_user_id_idx ON docket.passkey (user_id);

-- Authenticator apps (RFC 6238), one for each user.
CREATE TABLE docket.second_factor (
  user_id integer PRIMARY KEY,
  -- Codes are computed from it, so that it cannot be a hash.
  key bytea NOT NULL,
  -- The codes of this step of time and of earlier ones are used up.
  last_step integer NOT NULL,
  set_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE docket.recovery_code (
  user_id integer NOT NULL,
  digest text NOT NULL,
  PRIMARY KEY (user_id, digest)
);

-- Sign-ins whose password was right and which need a second step, by the digest of a cookie.
CREATE TABLE docket.sign_in_step (
  digest text PRIMARY KEY,
  user_id integer NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX sign_in_step_user_id_idx ON docket.sign_in_step (user_id);
CREATE INDEX sign_in_step_expires_at_idx ON docket.sign_in_step (expires_at);

-- Challenges of passkeys are in signed cookies; here are those that were used.
CREATE TABLE docket.used_challenge (
  digest text PRIMARY KEY,
  expires_at timestamptz(3) NOT NULL
);

-- When the user of a session has last proven who they are; null: never, as with an API key.
ALTER TABLE docket.session ADD COLUMN proven_at timestamptz(3);
