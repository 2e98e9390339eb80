/** Messages about other records that name the person: their data, what was sent of them, and their attachments. */
import { execute, type Pool, type Queryable, queryRow, queryRows } from '../database/pool.ts'
import { bigint, bound, int, type Sql, sql, text, texts } from '../database/sql.ts'
import { transaction } from '../database/transaction.ts'
import { removeAttachments } from './record-traces.ts'
import { createForget, mayContain } from './searched-texts.ts'
import type { Forgotten } from './stored-texts.ts'

const batchSize = 100

/** Returns whether some are being sent now, which are left for later. */
export const forgetMailings = async (pool: Pool, forgotten: Forgotten): Promise<boolean> => {
  if (forgotten.searched.length === 0) return false
  const forget = createForget(forgotten.searched, forgotten.placeholder)
  let isAnyLeft = false
  for (let after = 0; ; ) {
    const rows = await findMailings(pool, forgotten, after)
    const changed = rows
      .map(({ id, data }) => ({ id, data, next: forget(data, true) }))
      .filter(({ data, next }) => next !== data)
    if (changed.length > 0)
      isAnyLeft = (await transaction(pool, (one) => replaceData(one, changed))) || isAnyLeft
    after = rows.at(-1)?.id ?? after
    if (rows.length < batchSize) return isAnyLeft
  }
}

/** The number of those messages. */
export const countMailings = async (database: Queryable, forgotten: Forgotten): Promise<number> => {
  if (forgotten.searched.length === 0) return 0
  const select = sql`
    SELECT count(*) AS rows
    FROM docket.mailing m
    WHERE ${names(forgotten)} AND ${isOfOther(forgotten)}`
  return (await queryRow<{ rows: number }>(database, select))?.rows ?? 0
}

const names = ({ searched }: Forgotten): Sql => mayContain(sql`m.data::text`, searched, true)

const isOfOther = ({ entityKey, entityId }: Forgotten): Sql =>
  sql`(m.entity_key <> ${text(entityKey)} OR m.entity_id <> ${int(entityId)})`

const findMailings = (database: Queryable, forgotten: Forgotten, after: number) =>
  queryRows<{ id: number; data: string }>(
    database,
    sql`
      SELECT m.id, m.data::text AS data
      FROM docket.mailing m
      WHERE m.id > ${bigint(after)} AND ${names(forgotten)}
      ORDER BY m.id
      LIMIT ${int(batchSize)}`,
  )

type Changed = { readonly id: number; readonly next: string }

/**
 * Its deliveries are locked first: one that a process takes at this moment is then known to be sent. What was sent is shown as it would
 * be composed now, and attachments are made again for those who still wait.
 */
const replaceData = async (database: Queryable, changed: readonly Changed[]): Promise<boolean> => {
  const ids = bound(
    changed.map(({ id }) => id),
    'bigint[]',
  )
  const deliveries = await queryRows<{ mailing_id: number; is_sending: boolean }>(
    database,
    sql`
      SELECT d.mailing_id, d.status = 'sending' AS is_sending
      FROM docket.delivery d
      WHERE d.mailing_id = ANY (${ids})
      ORDER BY d.id
      FOR UPDATE`,
  )
  const sending = new Set(deliveries.flatMap((one) => (one.is_sending ? [one.mailing_id] : [])))
  const still = changed.filter(({ id }) => !sending.has(id))
  const stillIds = bound(
    still.map(({ id }) => id),
    'bigint[]',
  )
  const meant = sql`m.id = ANY (${stillIds})`
  const ofMeant = sql`SELECT m.id FROM docket.mailing m WHERE ${meant}`
  await execute(
    database,
    sql`
      UPDATE docket.mailing m
      SET data = n.data::json
      FROM unnest(${stillIds}, ${texts(still.map(({ next }) => next))}) n(id, data)
      WHERE m.id = n.id`,
  )
  await execute(
    database,
    sql`
      DELETE FROM docket.sent_message s
      USING docket.delivery d
      WHERE d.id = s.delivery_id AND d.mailing_id IN (${ofMeant})`,
  )
  await execute(
    database,
    sql`
      DELETE FROM docket.mailing_audience a
      WHERE a.mailing_id IN (${ofMeant}) AND EXISTS (
        SELECT FROM docket.delivery d
        WHERE d.mailing_id = a.mailing_id AND d.status IN ('queued', 'failed')
      )`,
  )
  const remove = sql`DELETE FROM docket.attachment a WHERE a.mailing_id IN (${ofMeant})`
  await removeAttachments(database, meant, remove)
  return sending.size > 0
}
