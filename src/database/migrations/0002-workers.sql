-- The workers that run jobs. Each holds the advisory lock of its number as long as it runs.

CREATE TABLE docket.worker (
  id text PRIMARY KEY,
  lock_number integer NOT NULL,
  started_at timestamptz(3) NOT NULL DEFAULT now(),
  lost_at timestamptz(3)
);

CREATE SEQUENCE docket.worker_lock_number AS integer CYCLE;
