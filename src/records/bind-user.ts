/** Makes a user the one whose tokens have a subject (AUTH_BIND_BY_EMAIL), as a change in the history of the user. */

import type { BindUser } from '../auth/callers/find-callers.ts'
import { type Connection, type Pool, queryShaped } from '../database/pool.ts'
import { int, raw, sql, table } from '../database/sql.ts'
import { transaction } from '../database/transaction.ts'
import { type Catalog, getEntity } from '../definitions/catalog.ts'
import { lockUnboundUser } from '../users/user-store.ts'
import { updateStatement, type Values } from './write/write-record.ts'
import { catchConflicts, WriteRejected } from './write/write-rejected.ts'

const comment = 'First sign-in with this verified e-mail (AUTH_BIND_BY_EMAIL).'

/** Creates the function that binds users, each of them once. */
export const createBindUser =
  (pool: Pool, catalog: Catalog): BindUser =>
  async (email, subject) => {
    try {
      return await transaction(pool, async (connection) => {
        const userId = await lockUnboundUser(connection, email)
        if (userId !== undefined) await bind(connection, catalog, userId, subject)
        return userId
      })
    } catch (error) {
      // Another first sign-in of this subject, with another e-mail, was earlier.
      if (error instanceof WriteRejected) return undefined
      throw error
    }
  }

const bind = async (connection: Connection, catalog: Catalog, id: number, subject: string) => {
  const entity = getEntity(catalog, 'user')
  const values: Values = new Map(
    entity.columns
      .filter(({ name }) => name === 'identity_provider_user_id')
      .map((column) => [column, subject]),
  )
  const statement = updateStatement({
    entity,
    values,
    author: { userId: id, actingUserId: null },
    change: { operation: 'change', comment },
    row: sql`SELECT t.* FROM ${table(entity)} t WHERE t.id = ${int(id)}`,
    selected: [raw('t.id')],
  })
  await catchConflicts(values, () => queryShaped(connection, statement))
}
