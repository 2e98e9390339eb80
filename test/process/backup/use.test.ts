/** Restore has exclusive use of its database, whatever application names its connections have. */
import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { before, test } from 'node:test'
import { restoreBackup } from '../../../src/backup/restore-backup.ts'
import { StartupError } from '../../../src/errors.ts'
import {
  backUp,
  createDatabase,
  createSource,
  project,
  restore,
  type Target,
} from '../../support/backup/a-backup.ts'
import { callDocket } from '../../support/call-docket.ts'
import { outcomeOf, spawnDocket, waitFor } from '../../support/docket.ts'
import { endWell } from '../../support/processes/a-service.ts'
import { writeProject } from '../../support/service.ts'
import { until, within } from '../../support/wait.ts'

let backup: Buffer
let target: Target
before(async () => {
  backup = await backUp(await createSource())
  target = await createDatabase()
})

const addressWith = (name: string) => {
  const url = new URL(target.connectionString)
  url.searchParams.set('application_name', name)
  return url.href
}

const advisoryLocks = `SELECT FROM pg_locks l WHERE l.locktype = 'advisory' AND l.database =
  (SELECT oid FROM pg_database WHERE datname = current_database())`

/** Finds sessions without the shared lock that restore looks for. */
const withoutLock = `SELECT application_name, query FROM pg_stat_activity a WHERE datname = current_database()
  AND pid <> pg_backend_pid() AND backend_type = 'client backend'
  AND NOT EXISTS (${advisoryLocks} AND l.pid = a.pid AND l.mode = 'ShareLock')`

test('a command started during a restore reports that the restore uses the database', async () => {
  const { connectionString } = target
  const source = new PassThrough()
  const options = { connectionString, source, replace: false, onTable: () => undefined }
  const restoring = restoreBackup(options)
  source.write(backup.subarray(0, backup.length / 2))
  await until('the restore has begun', async () => (await target.ask(advisoryLocks)).length > 0)
  const PROJECT = await writeProject(project)
  const environment = { DATABASE_URL: connectionString, PROJECT, DATABASE_WAIT_SECONDS: '0' }
  const { code, err } = await callDocket(['migrate'], environment)
  source.end(backup.subarray(backup.length / 2))
  await within('the restore ends', restoring)
  assert.equal(code, 1)
  assert.match(err, /is not ready: a restore has exclusive use of the database/)
  const again = await callDocket(['migrate'], environment)
  assert.equal(again.code, 0, again.err)
})

for (const { words, isUp } of [
  { words: ['start', '--port', '0'], isUp: /is up at/ },
  { words: ['worker'], isUp: /run here/ },
])
  test(`restore rejects a database that "docket ${words[0]}" uses, whatever its application name`, async () => {
    const environment = { DATABASE_URL: addressWith('shop'), PROJECT: await writeProject(project) }
    const child = spawnDocket(words, environment)
    const ended = outcomeOf(child)
    await waitFor(child, isUp)
    await until(
      'every session holds the shared lock',
      async () => (await target.ask(withoutLock)).length === 0,
    )
    await assert.rejects(restore(target, backup, true), (error: Error) => {
      assert.ok(error instanceof StartupError, String(error.stack))
      assert.match(error.message, /uses this database \(\d+ connections, such as pid \d+ \(shop/)
      return true
    })
    await endWell({ child, ended })
    const connectionString = addressWith('docket-shop')
    const { counts } = await restore({ connectionString }, backup, true)
    assert.equal(counts.find(({ name }) => name === 'records.city')?.rows, 2)
  })
