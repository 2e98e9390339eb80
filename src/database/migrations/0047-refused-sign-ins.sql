-- Whom the issuer vouches for and the service refused: an administrator needs the subject to make them a user.

CREATE TABLE docket.refused_sign_in (
  subject text PRIMARY KEY,
  email text,
  is_email_verified boolean NOT NULL,
  name text,
  reason text NOT NULL,
  times integer NOT NULL DEFAULT 1,
  first_at timestamptz NOT NULL DEFAULT now(),
  last_at timestamptz NOT NULL DEFAULT now()
);
