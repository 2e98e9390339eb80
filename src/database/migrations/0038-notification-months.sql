-- Notifications are a table of monthly partitions by their id, a UUIDv7: a month that is old as a whole is dropped instead of
-- deleted row by row. The table that exists becomes the only partition as it is; no row is read or copied. Its last partition
-- takes every later id; src/notifications/months divides it ahead of time.

ALTER TABLE docket.notification RENAME TO notification_earlier;
ALTER INDEX docket.notification_pkey RENAME TO notification_earlier_pkey;

CREATE TABLE docket.notification (LIKE docket.notification_earlier INCLUDING DEFAULTS) PARTITION BY RANGE (_id);
-- Indexes of users are of each partition alone: timestamps of a user are unique, which an index of all partitions could not be.
ALTER TABLE docket.notification ADD PRIMARY KEY (_id);
ALTER TABLE docket.notification ATTACH PARTITION docket.notification_earlier FOR VALUES FROM (MINVALUE) TO (MAXVALUE);

-- Whoever may use the table may go on to use it.
DO $$
DECLARE
  granted record;
BEGIN
  FOR granted IN
    SELECT a.privilege_type, a.grantee, a.is_grantable
    FROM pg_class c, aclexplode(c.relacl) a
    WHERE c.oid = 'docket.notification_earlier'::regclass AND a.grantee <> c.relowner
  LOOP
    EXECUTE format(
      'GRANT %s ON docket.notification TO %s%s', granted.privilege_type,
      CASE granted.grantee WHEN 0 THEN 'PUBLIC' ELSE granted.grantee::regrole::text END,
      CASE WHEN granted.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END
    );
  END LOOP;
END $$;

ALTER TABLE docket.notification_count
-- Earlier notifications of the user are removed: they are neither shown nor counted, and go with their month.
ADD COLUMN kept_from timestamptz(3) NOT NULL DEFAULT '-infinity',
-- No notification of the user has a timestamp that is further from the time of its event, which is that of its id.
ADD COLUMN apart interval NOT NULL DEFAULT '0';

-- The first id of a time. Not immutable, although it could be: so that a plan for all times is as good as one for this, and kept.
CREATE FUNCTION docket.first_id(at timestamptz) RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
RETURN (
  lpad(to_hex((
    extract(epoch FROM least(greatest(at, 'epoch'::timestamptz), '9999-12-31'::timestamptz)) * 1000
  )::bigint), 12, '0') || repeat('0', 20)
)::uuid;

-- For a month that is about to be dropped.
CREATE FUNCTION docket.refuse_old_notification() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The event is older than the notifications that are kept.' USING ERRCODE = 'check_violation';
END $$;
