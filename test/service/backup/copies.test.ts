/** Users work, the disk is lost, and a backup restores everything; a copy sends nothing until it is allowed to. */
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { createWorker } from '../../../src/runtime/create-worker.ts'
import { callDocket } from '../../support/call-docket.ts'
import { createTestDatabase } from '../../support/database.ts'
import { hooks } from '../../support/notifications/an-engine-project.ts'
import { startTestService, writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const files = {
  'entities/note.json': {
    key: 'note',
    displayField: 'title',
    fields: [{ key: 'title', type: 'string' }],
    hooks,
    notifications: [
      {
        operation: 'create',
        recipient: { userFields: ['_created_by'] },
        content: { title: '{{ record.title }}' },
      },
    ],
  },
}
let project: string
let backup: string
before(async () => {
  project = await writeProject(files)
  backup = join(project, 'monday.tar.gz')
})

const docket = async (database: { readonly connectionString: string }, ...args: string[]) => {
  const environment = { DATABASE_URL: database.connectionString, PROJECT: project }
  const { code, out, err } = await callDocket(args, environment)
  assert.equal(code, 0, err)
  return out + err
}

const aRestoredDatabase = async () => {
  const database = await createTestDatabase()
  assert.match(await docket(database, 'restore', backup), /was restored/)
  return database
}

/** A service and its worker on a database; its e-mails are files in its folder. */
const start = async (
  database: Awaited<ReturnType<typeof createTestDatabase>>,
  settings: Readonly<Record<string, string>> = {},
) => {
  const directory = await writeProject(files)
  const service = await startTestService(directory, settings, database)
  const worker = await createWorker(service.runtime, { watch: false })
  const folder = join(directory, '.docket', 'mail')
  const mailed = async () => {
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'))
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
    return texts.map((text) => /^Subject: (.*?)\r?$/m.exec(text)?.[1] ?? '').sort()
  }
  return {
    ask: service.ask,
    mailed,
    create: async (title: string) => {
      const { status, text } = await service.ask('POST', '/note', { body: { title } })
      assert.equal(status, 201, text)
    },
    untilMailed: (...subjects: string[]) =>
      until(
        `the e-mails ${subjects.join(', ')} are sent`,
        async () => (await mailed()).join() === subjects.join(),
      ),
    /** What it has told of deliveries and of its worker. */
    told: () =>
      service.observations.flatMap((one) => {
        if (one.kind === 'deliveriesHeld') return [one.reason]
        return /^(deliveriesReleased|workerStarted)$/.test(one.kind) ? [one.kind] : []
      }),
    stop: async () => {
      await worker.stop()
      await service.stop()
    },
  }
}

const isCopy =
  'This database is a copy, or was restored: jobs and e-mails wait. "docket deliveries --accept-copy" lets it send.'

test('a backup of a running service restores all of its records, and sends nothing again', async () => {
  const disk = await createTestDatabase()
  const monday = await start(disk)
  await monday.create('first')
  await monday.untilMailed('first')
  // The notification of this one waits when the backup is made, and is sent afterwards.
  const holder = await disk.pool.connect()
  await holder.query('BEGIN; LOCK TABLE docket.notification IN EXCLUSIVE MODE')
  await monday.create('second')
  const made = await docket(disk, 'backup', '--out', backup)
  assert.match(made, /monday\.tar\.gz: \d+ tables, \d+ rows/)
  await holder.query('ROLLBACK')
  holder.release()
  await monday.untilMailed('first', 'second')
  assert.deepEqual(monday.told(), ['workerStarted'])
  await monday.stop()

  const other = await createTestDatabase()
  assert.match(await docket(other, 'restore', backup, '--check'), /is complete/)
  await other.drop()
  const database = await aRestoredDatabase()
  const restored = await start(database)
  const { data } = (await restored.ask('GET', '/note?sort=id')).json()
  assert.deepEqual(
    data.map(({ title }: { title: string }) => title),
    ['first', 'second'],
  )
  assert.equal((await restored.ask('GET', '/note/1/history')).json().data.length, 1)
  await restored.create('third')
  assert.match(
    await docket(database, 'deliveries'),
    /a copy, or was restored.*\nWaiting: 0 e-mails, 2 jobs/,
  )
  assert.deepEqual([await restored.mailed(), restored.told()], [[], [isCopy]])

  const accepted = await docket(database, 'deliveries', '--accept-copy', '--drop-waiting')
  assert.match(accepted, /This database sends\.\nWaiting: 0 e-mails, 0 jobs/)
  await restored.create('fourth')
  await restored.untilMailed('fourth')
  assert.deepEqual(restored.told(), [isCopy, 'deliveriesReleased', 'workerStarted'])
  await restored.stop()
})

test('a copy that is accepted sends what waits in it, and continues to send', async () => {
  const database = await aRestoredDatabase()
  assert.match(await docket(database, 'deliveries', '--accept-copy'), /This database sends\./)
  const copy = await start(database)
  // Again, because it waited when the backup was made.
  await copy.untilMailed('second')
  await copy.create('sixth')
  await copy.untilMailed('second', 'sixth')
  assert.deepEqual(copy.told(), ['workerStarted'])
  await copy.stop()
})

test('DELIVERIES=hold stops a database from sending, DELIVERIES=send lets a copy send', async () => {
  const held = await start(await createTestDatabase(), { DELIVERIES: 'hold' })
  assert.deepEqual(held.told(), ['DELIVERIES=hold: jobs and e-mails wait.'])
  await held.stop()
  const database = await aRestoredDatabase()
  const copy = await start(database, { DELIVERIES: 'send' })
  await copy.untilMailed('second')
  assert.match(await docket(database, 'deliveries'), /This database sends/)
  assert.deepEqual(copy.told(), ['workerStarted'])
  await copy.stop()
})
