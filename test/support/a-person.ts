/** Users of tests. */
import assert from 'node:assert/strict'
import type { Queryable } from '../../src/database/pool.ts'
import { insertUser } from '../../src/users/user-store.ts'

/** Inserts a user, whose e-mail address and names follow from one name if nothing else is given, and returns the id. */
export const insertPerson = async (
  database: Queryable,
  name: string,
  role_key: string,
  values: Partial<Parameters<typeof insertUser>[1]> = {},
): Promise<number> => {
  const id = await insertUser(database, {
    identity_provider_user_id: name,
    email: `${name}@example.com`,
    role_key,
    first_name: name,
    last_name: 'Example',
    full_name: `${name} Example`,
    ...values,
  })
  assert.ok(id, `The user ${name} cannot be added.`)
  return id
}

/** Gives a user a further role, and returns the id of its record. */
export const addRole = async (
  database: Queryable,
  userId: number,
  key: string,
): Promise<number> => {
  const { rows } = await database.query<{ id: number }>(
    `INSERT INTO records.user_role (user_id, security_role_id)
     SELECT $1, id FROM records.security_role WHERE key = $2 RETURNING id`,
    [userId, key],
  )
  assert.ok(rows[0], `There is no role ${key}.`)
  return rows[0].id
}
