-- Who signed in, where a session acts as another user, and which changes were made in such a session.

ALTER TABLE docket.session ADD COLUMN acting_user_id integer;
ALTER TABLE docket.history ADD COLUMN acting_user_id integer;
