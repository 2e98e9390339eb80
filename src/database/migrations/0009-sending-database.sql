-- The database that jobs run in and e-mails are sent from: in a copy of it they wait until somebody says
-- that it is to send.

CREATE TABLE IF NOT EXISTS docket.sending_database (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  identity text NOT NULL,
  since timestamptz(3) NOT NULL DEFAULT now()
);
