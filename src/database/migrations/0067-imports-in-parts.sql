-- What an import had written when rows that were left were corrected, to be imported then: counts as JSON.

ALTER TABLE docket.import_run ADD COLUMN written jsonb;
