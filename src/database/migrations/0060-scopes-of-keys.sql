-- What a key may do of what its user may, and how it begins.

ALTER TABLE docket.api_key
  -- Null: everything.
  ADD COLUMN scope text,
  -- Null of older keys.
  ADD COLUMN start text;
