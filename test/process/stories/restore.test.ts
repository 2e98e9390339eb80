/** Users work, the disk is lost, and a backup restores everything; no e-mail is sent twice. */
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { callDocket } from '../../support/call-docket.ts'
import { createTestDatabase } from '../../support/database.ts'
import { outcomeOf, spawnDocket, waitFor } from '../../support/docket.ts'
import { asking, endWell, startUp } from '../../support/processes/a-service.ts'
import { writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

let project: string
let backup: string
let database: string
before(async () => {
  project = await writeProject({
    'entities/note.json': {
      key: 'note',
      displayField: 'title',
      fields: [{ key: 'title', type: 'string' }],
      hooks: [
        { type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' },
      ],
      notifications: [
        {
          operation: 'create',
          recipient: { userFields: ['_created_by'] },
          content: { title: '{{ record.title }}' },
        },
      ],
    },
  })
  backup = join(project, 'monday.tar.gz')
})

const takeNewDisk = async () => {
  const taken = await createTestDatabase()
  database = taken.connectionString
  return taken
}

const environment = () => ({ DATABASE_URL: database, PROJECT: project })

const docket = async (...args: string[]) => {
  const { code, out, err } = await callDocket(args, environment())
  assert.equal(code, 0, err)
  return out + err
}

/** Both texts, in any order. */
const heldAndUp = /^(?=[\s\S]*deliveriesHeld)[\s\S]*is up at \S+\s/

const start = async (pattern?: RegExp) => {
  const service = await startUp(environment(), [], pattern)
  const send = asking(service.base, (await docket('token')).trim())
  const ask = async (...request: Parameters<typeof send>) => {
    const { status, text, json } = await send(...request)
    assert.ok(status < 300, text)
    return json() as { data: { title: string }[] }
  }
  return {
    ...{ ask, create: (title: string) => ask('POST', '/note', { title }) },
    stop: () => endWell(service),
  }
}

const startWorker = async (pattern: RegExp, more: Readonly<Record<string, string>> = {}) => {
  const child = spawnDocket(['worker'], { ...environment(), ...more })
  const ended = outcomeOf(child)
  await waitFor(child, pattern)
  return { child, ended }
}

/** Subjects of all e-mails that were ever sent: the folder replaces the mailboxes of users. */
const mailbox = async (): Promise<string[]> => {
  const folder = join(project, '.docket', 'mail')
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'))
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return texts.map((text) => /^Subject: (.*?)\r?$/m.exec(text)?.[1] ?? '').sort()
}

const untilMailed = (...subjects: string[]) =>
  until(`the e-mails ${subjects.join(', ')} are sent`, async () => {
    const sent = await mailbox()
    return sent.join() === subjects.join() && sent
  })

test('a backup of a running service restores all of its records, and sends nothing again', async () => {
  const { pool } = await takeNewDisk()
  const monday = await start()
  await monday.create('first')
  await untilMailed('first')
  // The notification of this one waits when the backup is made, and is sent afterwards.
  const holder = await pool.connect()
  await holder.query('BEGIN; LOCK TABLE docket.notification IN EXCLUSIVE MODE')
  await monday.create('second')
  assert.match(await docket('backup', '--out', backup), /monday\.tar\.gz: \d+ tables, \d+ rows/)
  await holder.query('ROLLBACK')
  holder.release()
  await untilMailed('first', 'second')
  await monday.stop()
  await takeNewDisk()

  assert.match(await docket('restore', backup, '--check'), /is complete/)
  assert.match(await docket('restore', backup), /was restored/)
  const restored = await start(heldAndUp)
  const { data } = await restored.ask('GET', '/note?sort=id')
  assert.deepEqual(
    data.map(({ title }) => title),
    ['first', 'second'],
  )
  assert.equal((await restored.ask('GET', '/note/1/history')).data.length, 1)
  await restored.create('third')
  assert.match(await docket('deliveries'), /a copy, or was restored.*\nWaiting: 0 e-mails, 2 jobs/)
  assert.deepEqual(await mailbox(), ['first', 'second'])

  const accepted = await docket('deliveries', '--accept-copy', '--drop-waiting')
  assert.match(accepted, /This database sends\.\nWaiting: 0 e-mails, 0 jobs/)
  await restored.create('fourth')
  await untilMailed('first', 'fourth', 'second')
  assert.match(await restored.stop(), /deliveriesHeld[\s\S]*deliveriesReleased/)
})

test('a copy that is accepted sends what waits in it, and continues to send', async () => {
  await takeNewDisk()
  await docket('restore', backup)
  assert.match(await docket('deliveries', '--accept-copy'), /This database sends\./)
  const copy = await start()
  // Again, because it waited when the backup was made.
  await untilMailed('first', 'fourth', 'second', 'second')
  await copy.create('sixth')
  await untilMailed('first', 'fourth', 'second', 'second', 'sixth')
  assert.doesNotMatch(await copy.stop(), /deliveriesHeld/)
})

test('DELIVERIES=hold stops a database from sending, DELIVERIES=send lets a copy send', async () => {
  await takeNewDisk()
  const held = await startWorker(/DELIVERIES=hold: jobs and e-mails wait/, { DELIVERIES: 'hold' })
  assert.doesNotMatch(await endWell(held), /workerStarted/)
  await docket('restore', backup, '--replace')
  await endWell(await startWorker(/workerStarted/, { DELIVERIES: 'send' }))
  assert.match(await docket('deliveries'), /This database sends/)
})
