/** Commands and starts where notifications are on servers: what they say of servers, and which they refuse. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { listOwnMonths } from '../../../src/notifications/months/months.ts'
import { callDocket } from '../../support/call-docket.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { addPeople, feedUrl, toAll } from '../../support/feeds/two-feeds.ts'
import { engineFiles } from '../../support/notifications/an-engine-project.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'

let service: TestService
let servers: Readonly<Record<'a' | 'b', TestDatabase>>

const setting = (a: string, b: string) => ({ FEED_DATABASE_URL: feedUrl({ a, b }) })
const right = () => setting(servers.a.connectionString, servers.b.connectionString)

before(async () => {
  servers = { a: await createTestDatabase(), b: await createTestDatabase() }
  service = await startTestService(await writeProject(engineFiles([toAll])), right())
  await addPeople(service, 4)
})
after(async () => {
  await service.stop()
  await Promise.all(Object.values(servers).map((one) => one.drop()))
})

const run = (args: readonly string[], more: Record<string, string>) =>
  callDocket(args, {
    PROJECT: service.config.PROJECT,
    DATABASE_URL: service.database.connectionString,
    ...more,
  })

test('docket migrate brings the servers up to date, and docket deliveries counts and drops what waits there', async () => {
  assert.equal((await listOwnMonths(servers.b.pool)).length, 1)
  const migrated = await run(['migrate'], right())
  assert.equal(migrated.code, 0, migrated.err)
  assert.ok((await listOwnMonths(servers.b.pool)).length > 1)
  await servers.b.pool.query(
    `WITH m AS (
       INSERT INTO docket.mailing (event, entry, entity_key, entity_id, operation, data, wished, happened_at)
       VALUES ('e', '0', 'request', 1, 'create', '{}', '{}', now()) RETURNING id
     )
     INSERT INTO docket.delivery (mailing_id, user_id, notification_id) SELECT id, 1, gen_random_uuid() FROM m`,
  )
  assert.match((await run(['deliveries'], right())).out, /Waiting: 1 e-mail/)
  const dropped = await run(['deliveries', '--accept-copy', '--drop-waiting'], right())
  assert.match(dropped.out, /Waiting: 0 e-mails/)
})

test('docket doctor says that servers answer, and which one does not', async () => {
  const away = setting(servers.a.connectionString, 'postgres://nobody@127.0.0.1:1/feed')
  for (const [environment, level, value] of [
    // The e-mail that was dropped.
    [right(), 'warn', /^a answers, b has 1 dead e-mail$/],
    [away, 'fail', /a answers, b is away/],
    [{}, 'fail', /./],
  ] as const) {
    const { out } = await run(['doctor', '--json'], environment)
    const checks: { check: string; level: string; value: string }[] = JSON.parse(out).checks
    const found = checks.find(({ check }) => check === 'servers of notifications')
    assert.equal(found?.level, level)
    assert.match(found?.value ?? '', value)
  }
})

test('servers that were exchanged, and those of another database, are refused', async () => {
  const project = await writeProject(engineFiles([toAll]))
  const kept = { ...service.database, drop: async () => undefined }
  const exchanged = setting(servers.b.connectionString, servers.a.connectionString)
  await assert.rejects(
    startTestService(project, exchanged, kept),
    /the server at "a" is "b"; a server keeps its name/,
  )
  await assert.rejects(startTestService(project, right()), /notifications of another database/)
})
