-- Digests of the definitions and of the tables after a sync that left nothing: while both are the same, a start need
-- not compare them.

CREATE TABLE docket.synced_schema (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  definitions text NOT NULL,
  tables text NOT NULL
);
