/** Fills the inbox, and creates the notified group. */
import type { Environment } from '../environment.ts'
import { fill, insertGroup, insertUsers } from '../fill.ts'

/** Notifications of the administrator, who sends the load. */
const maxOfOne = 100_000

/**
 * Fills the tables with so many notifications of the last 300 days, a fifth of them unseen: many users with
 * a few hundred each, and one with very many. The rows of one user are far from each other, as if everybody
 * was notified daily.
 */
export const fillNotifications = (environment: Environment, rows: number): Promise<void> => {
  const others = Math.max(1000, Math.round(rows / 200)) - 1
  const every = Math.floor(rows / Math.min(maxOfOne, rows / 2))
  return fill(environment, `${rows.toLocaleString('en')} notifications`, [
    'ALTER TABLE docket.notification DROP CONSTRAINT notification_pkey',
    {
      // Of everything until now.
      largeTable: 'docket.notification_earlier',
      statement: `
        INSERT INTO docket.notification (_id, timestamp, user_id, entity_id, seen, entity_key, content)
        SELECT docket.notification_id(at, n::text, '0', user_id), at, user_id, n % 100000 + 1, n % 5 <> 3, 'purchase_order',
          json_build_object('icon', 'check', 'title', 'PO-' || n || ' was approved',
            'message', 'Anna Horvat approved the purchase order PO-' || n || ' over 1,234.50 EUR of the supplier Nordwind.',
            'url', '/console/purchase_order/' || n % 100000 + 1, 'due_at', NULL)
        FROM generate_series(1, ${rows}) n
        CROSS JOIN LATERAL (SELECT
          CASE WHEN n % ${every} = 0 THEN 1 ELSE 1000 + n % ${others} END AS user_id,
          date_trunc('milliseconds', now() - interval '300 days' + n * (interval '300 days' / ${rows})) AS at) w`,
    },
    'ALTER TABLE docket.notification ADD PRIMARY KEY (_id)',
    `INSERT INTO docket.notification_count
     SELECT user_id, count(*), count(*) FILTER (WHERE NOT seen), max(timestamp) FROM docket.notification GROUP BY user_id`,
    'VACUUM (ANALYZE) docket.notification, docket.notification_count',
  ])
}

type OverMonths = {
  readonly rows: number
  readonly months: number
  /** Whether each month has a partition, or all are in one. */
  readonly isDivided: boolean
}

/** Replaces all notifications by so many of the last months, up to now: many users with some hundred, the administrator with 100,000. */
export const fillOverMonths = (
  environment: Environment,
  { rows, months, isDivided }: OverMonths,
): Promise<void> => {
  const others = Math.max(1000, Math.round(rows / 200)) - 1
  const every = Math.floor(rows / Math.min(maxOfOne, rows / 2))
  const span = `interval '${months} months'`
  return fill(environment, `${rows.toLocaleString('en')} notifications of ${months} months`, [
    'TRUNCATE docket.notification, docket.notification_count',
    ...(isDivided ? [divideByMonth(months)] : []),
    `INSERT INTO docket.notification (_id, timestamp, user_id, entity_id, seen, entity_key, content)
     SELECT docket.notification_id(at, n::text, '0', user_id), at, user_id, n % 100000 + 1, n % 5 <> 3, 'purchase_order',
       json_build_object('icon', 'check', 'title', 'PO-' || n || ' was approved', 'message', 'Anna Horvat approved it.',
         'url', '/console/purchase_order/' || n % 100000 + 1, 'due_at', NULL)
     FROM generate_series(1, ${rows}) n
     CROSS JOIN LATERAL (SELECT
       CASE WHEN n % ${every} = 0 THEN 1 ELSE 1000 + n % ${others} END AS user_id,
       date_trunc('milliseconds', now() - ${span} + n * (${span} / ${rows})) AS at) w`,
    `INSERT INTO docket.notification_count (user_id, total, unseen, last_at)
     SELECT user_id, count(*), count(*) FILTER (WHERE NOT seen), max(timestamp) FROM docket.notification GROUP BY user_id`,
    'VACUUM (ANALYZE) docket.notification, docket.notification_count',
  ])
}

/** Divides the partition of everything until now: what was before these months, and each of them. */
const divideByMonth = (months: number): string => `
  DO $$
  DECLARE
    begins uuid := docket.first_id(now() - ${months} * interval '1 month');
    ends uuid;
    last uuid := (
      SELECT (regexp_match(pg_get_expr(relpartbound, oid), 'TO \\(''([0-9a-f-]+)''\\)'))[1]
      FROM pg_class WHERE oid = 'docket.notification_earlier'::regclass
    );
  BEGIN
    ALTER TABLE docket.notification DETACH PARTITION docket.notification_earlier;
    EXECUTE format('ALTER TABLE docket.notification ATTACH PARTITION docket.notification_earlier
      FOR VALUES FROM (MINVALUE) TO (%L)', begins);
    FOR month IN 1..${months} LOOP
      ends := CASE WHEN month = ${months} THEN last
        ELSE docket.first_id(now() - (${months} - month) * interval '1 month') END;
      EXECUTE format('CREATE TABLE docket.notification_m%s (LIKE docket.notification_earlier INCLUDING ALL)', month);
      EXECUTE format('ALTER TABLE docket.notification ATTACH PARTITION docket.notification_m%s
        FOR VALUES FROM (%L) TO (%L)', month, begins, ends);
      begins := ends;
    END LOOP;
  END $$`

/** The number of users in the group. */
export const memberCount = 100_000

/** The ids of the members, without gaps. */
export type Members = { readonly first: number; readonly last: number }

/** Adds the users and their group; each member has a counter, as if notified before. */
export const fillMembers = async (environment: Environment): Promise<Members> => {
  await fill(environment, `${memberCount.toLocaleString('en')} users of a group`, [
    insertUsers('member-', memberCount),
    insertGroup('member-'),
    `INSERT INTO docket.notification_count
     SELECT user_id, 0, 0, now() FROM records.user_group_member ON CONFLICT DO NOTHING`,
    `VACUUM (ANALYZE) records."user", records.user_group, records.user_group_member,
       docket.notification_count`,
  ])
  const { rows } = await environment.pool.query<Members>(
    'SELECT min(user_id) AS first, max(user_id) AS last FROM records.user_group_member',
  )
  const { first = 0, last = 0 } = rows[0] ?? {}
  if (last - first !== memberCount - 1) throw new Error('The ids of the users have gaps.')
  return { first, last }
}
