-- Notifications that are away until a time, which their user has chosen (docs/notifications.md): neither listed nor counted.

CREATE TABLE docket.snooze (
  notification_id uuid PRIMARY KEY,
  user_id integer NOT NULL,
  until timestamptz(3) NOT NULL
);
CREATE INDEX snooze_user_idx ON docket.snooze (user_id);
CREATE INDEX snooze_until_idx ON docket.snooze (until);
