/** The start and docket migrate report users whose role no longer has a file. */
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { callDocket } from '../../support/call-docket.ts'
import { createTestDatabase } from '../../support/database.ts'
import { writeProject } from '../../support/service.ts'

const user = (name: string, more: object) => ({
  identity_provider_user_id: name,
  first_name: name,
  last_name: 'Example',
  username: `${name}@example.com`,
  email: `${name}@example.com`,
  security_role: { key: 'clerk' },
  ...more,
})

test('active users of a role without a file are counted; blocked and inactive users are not', async () => {
  const directory = await writeProject({
    'entities/thing.json': { key: 'thing', fields: [{ key: 'a', type: 'string' }] },
    'roles/clerk.json': { key: 'clerk', permissions: {} },
    'seed/01-user.json': [
      user('anna', {}),
      user('ben', {}),
      user('cora', { is_blocked: true }),
      user('dan', { is_active: false }),
    ],
  })
  const database = await createTestDatabase()
  const environment = { DATABASE_URL: database.connectionString, PROJECT: directory }
  try {
    assert.equal((await callDocket(['seed'], environment)).code, 0)
    assert.doesNotMatch((await callDocket(['migrate'], environment)).err, /role/)
    await rm(join(directory, 'roles/clerk.json'))
    await rm(join(directory, 'seed'), { recursive: true })
    const migrated = await callDocket(['migrate'], environment)
    assert.equal(migrated.code, 0)
    assert.match(
      migrated.err,
      /Warning: 2 users have the role "clerk", which has no file in roles\/, and have no permissions; add the file or assign another role\./,
    )
    const prepared = await callDocket(['token'], environment)
    assert.match(prepared.err, /"role":"clerk","users":2,"msg":"roleUnknown"/)
  } finally {
    await database.drop()
    await rm(directory, { recursive: true, force: true })
  }
})
