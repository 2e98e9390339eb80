-- The identity of the database that runs jobs and sends e-mails: a copy of it holds them until it is accepted.

CREATE TABLE IF NOT EXISTS docket.sending_database (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  identity text NOT NULL,
  since timestamptz(3) NOT NULL DEFAULT now()
);
