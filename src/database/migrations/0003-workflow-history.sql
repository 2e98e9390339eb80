-- Which action of a workflow an entry of the history tells of: { key, kind, from, to }.

ALTER TABLE docket.history ADD COLUMN action json;
