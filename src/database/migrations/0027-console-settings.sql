-- What the console keeps for a user, such as theme and column widths; the service does not read it.

CREATE TABLE docket.console_settings (
  user_id integer PRIMARY KEY,
  settings jsonb NOT NULL
);
