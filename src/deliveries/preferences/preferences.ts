/** Which e-mails a person does not want; what is stored for them in the service always stays. */
import { type Pool, queryRows } from '../../database/pool.ts'
import { bound, sql, toStatement } from '../../database/sql.ts'
import type { Catalog } from '../../definitions/catalog.ts'

/** Whether a person wants e-mails about an operation on records of an entity. */
export type Preference = {
  readonly entity: string
  readonly operation: string
  readonly email: boolean
}

/** Every kind of notification that the definitions know, with the person's wish; wanted by default. */
export const listPreferences = async (
  pool: Pool,
  catalog: Catalog,
  userId: number,
): Promise<Preference[]> => {
  const select = sql`SELECT entity_key || ' ' || operation AS kind FROM docket.email_preference WHERE user_id = ${bound(userId, 'integer')}`
  const rows = await queryRows<{ kind: string }>(pool, toStatement(select))
  const refused = new Set(rows.map(({ kind }) => kind))
  return kindsOf(catalog).map(({ entity, operation }) => ({
    entity,
    operation,
    email: !refused.has(`${entity} ${operation}`),
  }))
}

/** The kinds of notification that can be wished away. */
export const kindsOf = ({ entities }: Catalog): { entity: string; operation: string }[] =>
  [...entities.values()].flatMap(({ key, definition: { notifications = [] } }) =>
    [...new Set(notifications.map(({ operation }) => operation))].map((operation) => ({
      entity: key,
      operation,
    })),
  )

/** Keeps the wishes; e-mails that are on their way already still arrive. */
export const savePreferences = async (
  pool: Pool,
  userId: number,
  wishes: readonly Preference[],
): Promise<void> => {
  const rows = (wanted: boolean) => {
    const some = wishes.filter(({ email }) => email === wanted)
    const entities = bound(
      some.map(({ entity }) => entity),
      'text[]',
    )
    const operations = bound(
      some.map(({ operation }) => operation),
      'text[]',
    )
    return sql`unnest(${entities}, ${operations}) AS w (entity_key, operation)`
  }
  const user = bound(userId, 'integer')
  const statement = sql`WITH wanted AS (DELETE FROM docket.email_preference p USING ${rows(true)} WHERE p.user_id = ${user} AND p.entity_key = w.entity_key AND p.operation = w.operation) INSERT INTO docket.email_preference (user_id, entity_key, operation) SELECT ${user}, w.entity_key, w.operation FROM ${rows(false)} ON CONFLICT DO NOTHING`
  await pool.query(toStatement(statement))
}
