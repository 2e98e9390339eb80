/** Callers are cached, and a caller who loses a permission is rejected immediately by every process. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import pg from 'pg'
import { installCallerTriggers } from '../../../src/auth/callers/caller-change-store.ts'
import { startIssuer, type TestIssuer } from '../../support/auth/an-issuer.ts'
import { assertRefused } from '../../support/auth/assert-refused.ts'
import { until } from '../../support/wait.ts'
import { createTestProject, type TestProject } from '../users/a-project.ts'
import { type Authenticator, openAuthenticator } from './an-authenticator.ts'

let project: TestProject
let issuer: TestIssuer
let here: Authenticator
let elsewhere: Authenticator
let userId: number
let header: string
let number = 0
// Counts the changes: a late notification would clear the cache once more.
let changes = 0
const areAllChangesSeen = () =>
  [here, elsewhere].every((authenticator) => authenticator.changeCount() >= changes)
before(async () => {
  project = await createTestProject()
  issuer = await startIssuer([])
  here = await openAuthenticator(project, issuer)
  elsewhere = await openAuthenticator(project, issuer)
})
beforeEach(async () => {
  const subject = `user-${++number}`
  userId = await project.addUser(subject)
  changes++
  await until('both are notified of every change', areAllChangesSeen)
  header = `Bearer ${await issuer.sign({ sub: subject })}`
  for (const authenticator of [here, elsewhere]) await until(() => isRemembered(authenticator))
})
after(async () => {
  await Promise.all([here.close(), elsewhere.close()])
  await issuer.close()
  await project.close()
})

const isRemembered = async ({ authenticate, statements }: Authenticator) => {
  await authenticate(header)
  const before = statements.length
  await authenticate(header)
  return statements.length === before
}
const set = (change: string) => {
  changes++
  return project.pool.query(`UPDATE records."user" SET ${change} WHERE id = $1`, [userId])
}
const isRefused = ({ authenticate }: Authenticator) =>
  authenticate(header).then(
    () => false,
    () => true,
  )

test('a cached caller needs no statement, also after another user is cleared', async () => {
  here.callers.forget(userId + 1000)
  const before = here.statements.length
  for (let round = 0; round < 100; round++) await here.authenticate(header)
  assert.equal(here.statements.length, before)
})

test('the process that blocks a user rejects them before it responds', async () => {
  await set('is_blocked = true')
  here.callers.forget(userId)
  await assertRefused(here.authenticate(header), /blocked/)
})

test('every process uses the new role of a user, and rejects a user who becomes blocked', async () => {
  await set(`security_role_id = (SELECT id FROM records.security_role WHERE key = 'clerk')`)
  for (const { authenticate } of [here, elsewhere])
    await until(async () => (await authenticate(header)).roleKey === 'clerk')
  await set('is_blocked = true')
  for (const authenticator of [here, elsewhere]) await until(() => isRefused(authenticator))
})

test('a change that is rolled back clears no cached caller', async () => {
  const connection = await project.pool.connect()
  await connection.query('BEGIN')
  await connection.query('UPDATE records."user" SET is_blocked = true')
  await connection.query('ROLLBACK')
  connection.release()
  assert.ok(await isRemembered(here))
})

test('a caller who is cleared during their query is not cached by its result', async () => {
  here.callers.forget()
  const asked = here.authenticate(header)
  await until(() => here.statements.at(-1)?.includes('security_role') === true)
  here.callers.forget(userId)
  await asked
  const before = here.statements.length
  await here.authenticate(header)
  assert.equal(here.statements.length, before + 1)
})

test('while the listening connection is lost, every request queries; afterwards callers are cached again', async () => {
  const cleared = () =>
    project.observations.filter(({ kind }) => kind === 'callerCacheCleared').length
  const before = cleared()
  // New connections are disallowed, so that the loss lasts until the test ends it.
  await letConnectionsIn(false)
  await project.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name = 'docket listener' AND datname = current_database()`,
  )
  await until('both clear their callers', () => cleared() === before + 2)
  assert.equal(await isRemembered(here), false)
  await set('is_blocked = true')
  await assertRefused(here.authenticate(header), /blocked/)
  await set('is_blocked = false')
  assert.ok(await here.authenticate(header))
  await letConnectionsIn(true)
  // Neither was notified of the changes in between.
  changes = 0
  for (const authenticator of [here, elsewhere]) await until(() => isRemembered(authenticator))
  assert.equal(cleared(), before + 2)
})

const letConnectionsIn = async (allow: boolean) => {
  const address = new URL(project.connectionString)
  const name = pg.escapeIdentifier(address.pathname.slice(1))
  address.pathname = '/postgres'
  const client = new pg.Client({ connectionString: address.href })
  await client.connect()
  await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${allow}`)
  await client.end()
}

test('ten simultaneous starts install the triggers once', async () => {
  await project.pool.query('DROP TRIGGER docket_caller_changed ON records."user"')
  await Promise.all(Array.from({ length: 10 }, () => installCallerTriggers(project.pool)))
  const { rows } = await project.pool.query(
    `SELECT relnamespace::regnamespace || '.' || relname AS name
     FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid WHERE tgname = 'docket_caller_changed'`,
  )
  assert.deepEqual(rows.map(({ name }) => name).toSorted(), [
    'docket.api_key',
    'docket.session',
    'records.security_role',
    'records.user',
    'records.user_group_member',
    'records.user_role',
  ])
})
