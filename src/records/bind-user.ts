/** Makes a user the one whose tokens have a subject (AUTH_BIND_BY_EMAIL, or an invitation), as a change in the history of the user. */
import type { BindInvited, BindUser } from '../auth/callers/find-callers.ts'
import { takeCode } from '../auth/codes/one-time-code-store.ts'
import { deletePassword, endSessionsOf } from '../auth/passwords/password-store.ts'
import { removeFactors } from '../auth/second-factor/second-factor-store.ts'
import { type Connection, type Pool, queryShaped } from '../database/pool.ts'
import { int, raw, sql, table } from '../database/sql.ts'
import { transaction } from '../database/transaction.ts'
import { type Catalog, getEntity } from '../definitions/catalog.ts'
import { findUserBySubject, lockUnboundUser } from '../users/user-store.ts'
import { catchConflicts, WriteRejected } from './write/write-rejected.ts'
import { updateStatement, type Values } from './write/write-statements.ts'

const byEmail = 'First sign-in with this verified e-mail (AUTH_BIND_BY_EMAIL).'
const byInvitation = 'First sign-in by an invitation.'

/** Creates the function that binds users, each of them once. */
export const createBindUser =
  (pool: Pool, catalog: Catalog): BindUser =>
  async (email, subject) => {
    try {
      return await transaction(pool, async (connection) => {
        const userId = await lockUnboundUser(connection, email)
        if (userId !== undefined)
          await bind(connection, catalog, { id: userId, subject, comment: byEmail })
        return userId
      })
    } catch (error) {
      // Another first sign-in of this subject, with another e-mail, was earlier.
      if (error instanceof WriteRejected) return undefined
      throw error
    }
  }

/** Creates the function that binds the users of invitations. */
export const createBindInvited =
  (pool: Pool, catalog: Catalog): BindInvited =>
  async (digest, subject) => {
    try {
      return await transaction(pool, async (connection) => {
        const userId = await takeCode(connection, { kind: 'invitation', digest })
        if (userId === undefined) return { result: 'ended' }
        const holder = await findUserBySubject(connection, subject)
        if (holder && holder.id !== userId) throw new SubjectTaken()
        if (!holder) await bind(connection, catalog, { id: userId, subject, comment: byInvitation })
        // As whenever an invitation is used: what signed in before does no more.
        await deletePassword(connection, userId)
        await removeFactors(connection, userId)
        await endSessionsOf(connection, { userId })
        return { result: 'bound', userId }
      })
    } catch (error) {
      // The transaction has left the invitation as it was. Of two first sign-ins at once, the other one was earlier.
      if (error instanceof SubjectTaken || error instanceof WriteRejected)
        return { result: 'taken' }
      throw error
    }
  }

/** Another user has the subject. */
class SubjectTaken extends Error {
  override name = 'SubjectTaken'
}

type Binding = { readonly id: number; readonly subject: string; readonly comment: string }

const bind = async (
  connection: Connection,
  catalog: Catalog,
  { id, subject, comment }: Binding,
) => {
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
