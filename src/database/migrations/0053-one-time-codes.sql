-- What signs in once is in one table: links of development, invitations, and codes by e-mail.

CREATE TABLE docket.one_time_code (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- link, invitation or code
  kind text NOT NULL,
  -- Null if a code was asked for by a name that nobody has.
  user_id integer,
  -- Of the secret that finds it: in the link, or in the browser that asked for a code. Null until it is sent.
  digest text UNIQUE,
  -- Of the code that was sent to its user, together with the secret of the browser. Null until it is sent.
  answer text,
  tries_left integer NOT NULL DEFAULT 5,
  -- Null for one of the command line.
  invited_by integer,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL
);
-- A further invitation of a user replaces the one before.
CREATE UNIQUE INDEX one_time_code_invitation_idx ON docket.one_time_code (user_id) WHERE kind = 'invitation';
CREATE INDEX one_time_code_expires_at_idx ON docket.one_time_code (expires_at);

INSERT INTO docket.one_time_code (kind, user_id, digest, expires_at)
SELECT 'link', user_id, digest, expires_at FROM docket.login_code;
INSERT INTO docket.one_time_code (kind, user_id, digest, invited_by, created_at, expires_at)
SELECT 'invitation', user_id, digest, invited_by, created_at, expires_at FROM docket.invitation ORDER BY id;

DROP TABLE docket.login_code;
DROP TABLE docket.invitation;
