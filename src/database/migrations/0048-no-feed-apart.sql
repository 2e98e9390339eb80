-- Notifications, mailings and deliveries are in the database of the records alone.

DO $$
DECLARE
  servers text := (SELECT array_to_string(names || coalesce(moving_to, '{}'), ', ') FROM docket.feed_placement);
BEGIN
  IF servers <> '' OR EXISTS (SELECT FROM docket.feed_membership) THEN
    RAISE EXCEPTION 'Notifications are on servers of their own%, which this version does not have: lead them back with "docket move-feed" of the version before, then migrate again.',
      coalesce(' (' || nullif(servers, '') || ')', '');
  END IF;
END $$;

DROP TABLE docket.feed_job, docket.feed_membership, docket.feed_placement, docket.feed_server;
ALTER TABLE docket.delivery DROP COLUMN address;
