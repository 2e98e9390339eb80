-- The workflow action of a history entry: { key, kind, from, to }.

ALTER TABLE docket.history ADD COLUMN action json;
