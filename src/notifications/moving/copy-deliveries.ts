/** Copies deliveries of users with the mailings, attachments and messages that belong to them. */
import { isApart } from '../../database/feeds/feeds.ts'
import { type Pool, queryOnce } from '../../database/pool.ts'
import { bound, type Sql, sql, table, text } from '../../database/sql.ts'
import { attachDocuments } from '../../deliveries/delivery.ts'
import { copyRows, type Moving, readRows, writeRows } from './copy-rows.ts'

const deliveriesAtOnce = 500

/** Some at a time, in the order of their ids. */
export const copyDeliveries = async (moving: Moving): Promise<void> => {
  let after = 0
  for (;;) {
    const found = await listSome(moving, after)
    const last = found.at(-1)
    if (!last) return
    const mailings = bound([...new Set(found.map(({ mailing_id: id }) => id))], 'bigint[]')
    await copyMailings(moving, mailings)
    await copyRowsOf(
      moving,
      bound(
        found.map(({ id }) => id),
        'bigint[]',
      ),
    )
    after = last.id
  }
}

const listSome = ({ source, userIds }: Moving, after: number) =>
  queryOnce<{ id: number; mailing_id: number }>(
    source,
    sql`
SELECT id, mailing_id
FROM docket.delivery
WHERE user_id = ANY (${bound(userIds, 'integer[]')}) AND id > ${bound(after, 'bigint')}
ORDER BY id
LIMIT ${bound(deliveriesAtOnce, 'bigint')}`,
  )

/** A mailing is for all users of a place, and may be in several. The place to which it comes may have one of the same event. */
const copyMailings = async (moving: Moving, ids: Sql): Promise<void> => {
  const { source, target } = moving
  await copyRows(
    moving,
    'docket.mailing',
    sql`SELECT * FROM docket.mailing m WHERE m.id = ANY (${ids})`,
  )
  const later = await idsAt(
    target,
    await readRows(
      source,
      sql`SELECT id, event, entry FROM docket.mailing WHERE id = ANY (${ids})`,
    ),
  )
  for (const table of ['docket.mailing_audience', 'docket.attachment'] as const) {
    const rows = await readRows(source, partsOf[table](ids))
    if (table === 'docket.attachment') await copyData(moving, ids)
    await writeRows(
      target,
      table,
      rows.map((row) => withMailing(row, later)),
    )
  }
  await enqueueWaiting(target, [...later.values()])
}

const partsOf = {
  'docket.mailing_audience': (ids: Sql) =>
    sql`SELECT * FROM docket.mailing_audience a WHERE a.mailing_id = ANY (${ids})`,
  'docket.attachment': (ids: Sql) =>
    sql`SELECT * FROM docket.attachment a WHERE a.mailing_id = ANY (${ids})`,
}

/** Ids of mailings at the target, by those at the source. */
const idsAt = async (
  target: Pool,
  mailings: readonly string[],
): Promise<ReadonlyMap<number, number>> => {
  const rows = await queryOnce<{ earlier: number; later: number }>(
    target,
    sql`
SELECT g.id AS earlier, m.id AS later
FROM json_to_recordset(${bound(`[${mailings.join(',')}]`, 'json')}) AS g(id bigint, event text, entry text)
JOIN docket.mailing m ON m.event = g.event AND m.entry = g.entry`,
  )
  return new Map(rows.map(({ earlier, later }) => [earlier, later]))
}

const withMailing = (row: string, later: ReadonlyMap<number, number>): string => {
  const parsed = JSON.parse(row)
  return JSON.stringify({ ...parsed, mailing_id: later.get(parsed.mailing_id) })
}

/** One by one: a document may be large. */
const copyData = async ({ source, target }: Moving, ids: Sql): Promise<void> => {
  const hashes = await queryOnce<{ hash: string }>(
    source,
    sql`
SELECT DISTINCT encode(a.hash, 'hex') AS hash
FROM docket.attachment a
WHERE a.mailing_id = ANY (${ids}) AND a.hash IS NOT NULL`,
  )
  for (const { hash } of hashes) {
    const [row] = await readRows(
      source,
      sql`SELECT * FROM docket.attachment_data d WHERE d.hash = decode(${text(hash)}, 'hex')`,
    )
    if (row !== undefined) await writeRows(target, 'docket.attachment_data', [row])
  }
}

/** Its job is known where it was. */
const enqueueWaiting = async (target: Pool, ids: readonly number[]): Promise<void> => {
  await queryOnce(
    target,
    sql`
SELECT docket.add_job(${text(attachDocuments.name)}, json_build_object('mailing_id', m.id))
FROM docket.mailing m
WHERE m.id = ANY (${bound(ids, 'bigint[]')}) AND m.state = 'waiting'`,
  )
}

/** Deliveries with their messages. */
const copyRowsOf = async ({ source, target }: Moving, ids: Sql): Promise<void> => {
  const mailings = await readRows(
    source,
    sql`
SELECT m.id, m.event, m.entry
FROM docket.mailing m
WHERE m.id IN (SELECT d.mailing_id FROM docket.delivery d WHERE d.id = ANY (${ids}))`,
  )
  const later = await idsAt(target, mailings)
  const rows = await readRows(source, deliveriesOf(source, ids))
  await writeRows(
    target,
    'docket.delivery',
    rows.map((row) => withMailing(row, later)),
  )
  const messages = await readRows(
    source,
    sql`
SELECT delivery_id, address, subject, content
FROM docket.sent_message
WHERE delivery_id = ANY (${ids})`,
  )
  await queryOnce(
    target,
    sql`
INSERT INTO docket.sent_message (delivery_id, address, subject, content)
SELECT * FROM json_to_recordset(${bound(`[${messages.join(',')}]`, 'json')}) AS s(
  delivery_id bigint, address text, subject text, content bytea
)
ON CONFLICT DO NOTHING`,
  )
}

/** Servers of the feed know no people. */
const deliveriesOf = (source: Pool, ids: Sql): Sql =>
  isApart(source)
    ? sql`SELECT * FROM docket.delivery d WHERE d.id = ANY (${ids})`
    : sql`
SELECT d.id, d.mailing_id, d.user_id, d.notification_id, d.status, d.tries, d.last_error, d.due_at, d.created_at,
  d.sent_at, d.audience, d.channel, d.target, u.email AS address
FROM docket.delivery d
LEFT JOIN ${table('user')} u ON u.id = d.user_id
WHERE d.id = ANY (${ids})`
