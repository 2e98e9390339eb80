/** Renames keys of entities on a server of the feed, as they were renamed in the database of the records. */
import { execute, type Pool, queryRow, queryRows } from '../../database/pool.ts'
import { bigint, raw, sql, text } from '../../database/sql.ts'
import { transaction } from '../../database/transaction.ts'
import { feedPlaces } from './follow-renames.ts'

type Row = { readonly id: number; readonly earlier: string; readonly later: string }

// An arbitrary number: the advisory lock of the process that renames.
const renameLock = 7_305_114_024

/** Follows the renames that the server does not know yet, in their order. It keeps them, as the records do. */
export const followRenames = async (records: Pool, server: Pool): Promise<void> => {
  const renames = await queryRows<Row>(
    records,
    sql`
SELECT id, earlier, later
FROM docket.rename
WHERE kind = 'entity' AND is_followed
ORDER BY id`,
  )
  for (const rename of renames) await follow(server, rename)
}

const follow = async (server: Pool, { id, earlier, later }: Row): Promise<void> => {
  const known = sql`SELECT id FROM docket.rename WHERE id = ${bigint(id)}`
  if (await queryRow(server, known)) return
  await transaction(server, async (connection) => {
    await execute(connection, sql`SELECT pg_advisory_xact_lock(${raw(String(renameLock))})`)
    if (await queryRow(connection, known)) return
    for (const { table, column } of feedPlaces)
      await execute(
        connection,
        sql`
UPDATE ${raw(table)}
SET ${raw(column)} = ${text(later)}
WHERE ${raw(column)} = ${text(earlier)}`,
      )
    await execute(
      connection,
      sql`
INSERT INTO docket.rename (id, kind, entity_key, earlier, later, is_followed)
OVERRIDING SYSTEM VALUE
VALUES (${bigint(id)}, 'entity', ${text(later)}, ${text(earlier)}, ${text(later)}, true)`,
    )
  })
}
