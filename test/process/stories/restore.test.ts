/** Users work, the disk is lost, and a backup restores everything; no e-mail is sent twice. */
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, afterEach, test } from 'node:test'
import pg from 'pg'
import { outcomeOf, runDocket, spawnDocket, tokenOf, waitFor } from '../../support/docket.ts'
import { writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const project = await writeProject({
  'entities/note.json': {
    key: 'note',
    displayField: 'title',
    fields: [{ key: 'title', type: 'string' }],
    hooks: [{ type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' }],
    notifications: [
      {
        operation: 'create',
        recipient: { userFields: ['_created_by'] },
        content: { title: '{{ record.title }}' },
      },
    ],
  },
})
const backup = join(project, 'monday.tar.gz')
after(() => rm(project, { recursive: true, force: true, maxRetries: 5 }))

const children = new Set<ChildProcess>()
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  children.clear()
})

const docket = async (...args: string[]) => {
  const { code, out, err } = await runDocket([...args, '--project', project])
  assert.equal(code, 0, err)
  return out + err
}

const startUp = async (...args: string[]) => {
  const child = spawnDocket(['start', '--port', '0', '--project', project, ...args])
  children.add(child)
  const ended = outcomeOf(child)
  const shown = await waitFor(child, /is up at \S+/)
  const base = /is up at (\S+)/.exec(shown)?.[1] ?? ''
  const token = await tokenOf(project)
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
    const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const response = await fetch(base + path, sent)
    assert.ok(response.ok, `${method} ${path}: ${response.status}`)
    return response.json() as Promise<Record<string, never>>
  }
  const stop = async () => {
    child.kill('SIGTERM')
    const { code, err } = await ended
    assert.equal(code, 0, err)
    children.delete(child)
    return err
  }
  return { child, ask, stop, create: (title: string) => ask('POST', '/note', { title }) }
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
    return subjects.every((subject) => sent.includes(subject))
  })

const titlesIn = async ({ ask }: Pick<Awaited<ReturnType<typeof startUp>>, 'ask'>) => {
  const { data } = (await ask('GET', '/note')) as unknown as { data: { title: string }[] }
  return data.map(({ title }) => title).sort()
}

const loseTheDisk = () =>
  rm(join(project, '.docket', 'postgres'), { recursive: true, force: true, maxRetries: 5 })

test('a backup of a running service restores all of its records, and sends nothing again', async () => {
  const monday = await startUp()
  await monday.create('first')
  await untilMailed('first')
  await monday.stop()
  // The e-mail of this one waits when the backup is made, and is sent afterwards.
  const afterBackup = await startUp('--no-jobs')
  await afterBackup.create('second')
  assert.match(await docket('backup', '--out', backup), /monday\.tar\.gz: \d+ tables, \d+ rows/)
  await afterBackup.stop()
  const nextDay = await startUp()
  await untilMailed('second')
  await nextDay.stop()
  await loseTheDisk()

  assert.match(await docket('restore', backup, '--check'), /is complete/)
  assert.match(await docket('restore', backup), /was restored/)
  const restored = await startUp()
  assert.deepEqual(await titlesIn(restored), ['first', 'second'])
  const { data } = (await restored.ask('GET', '/note/1/history')) as unknown as { data: object[] }
  assert.equal(data.length, 1)
  await restored.create('third')
  // A worker that does not hold takes a job as soon as it is there, before this command has started.
  assert.match(await docket('deliveries'), /a copy, or was restored.*\nWaiting: 0 e-mails, 2 jobs/)
  assert.deepEqual(await mailbox(), ['first', 'second'])

  const accepted = await docket('deliveries', '--accept-copy', '--drop-waiting')
  assert.match(accepted, /This database sends\.\nWaiting: 0 e-mails, 0 jobs/)
  await restored.create('fourth')
  await untilMailed('fourth')
  const log = await restored.stop()
  assert.match(log, /deliveriesHeld[\s\S]*deliveriesReleased/)
  assert.deepEqual(await mailbox(), ['first', 'fourth', 'second'])
})

test('a copy that is accepted sends what waits in it, and continues to send', async () => {
  await loseTheDisk()
  await docket('restore', backup)
  const copy = await startUp()
  await copy.create('fifth')
  await docket('deliveries', '--accept-copy')
  await untilMailed('fifth')
  await copy.stop()
  const again = await startUp()
  await again.create('sixth')
  await untilMailed('sixth')
  assert.doesNotMatch(await again.stop(), /deliveriesHeld/)
})

test('DELIVERIES=hold stops a database from sending, DELIVERIES=send lets a copy send', async () => {
  const startWorker = async (value: string) => {
    const args = ['worker', '--project', project]
    const child = spawnDocket(args, { DELIVERIES: value })
    children.add(child)
    return { child, shown: await waitFor(child, /deliveriesHeld|workerStarted/) }
  }
  const held = await startWorker('hold')
  assert.match(held.shown, /DELIVERIES=hold: jobs and e-mails wait/)
  const stopped = outcomeOf(held.child)
  held.child.kill('SIGTERM')
  assert.equal((await stopped).code, 0)
  await docket('restore', backup, '--replace')
  const sending = await startWorker('send')
  assert.match(sending.shown, /workerStarted/)
  const ended = outcomeOf(sending.child)
  sending.child.kill('SIGTERM')
  assert.equal((await ended).code, 0)
  assert.match(await docket('deliveries'), /This database sends/)
})

test('the address of the embedded database is printed while it is up', async () => {
  const args = ['database-url', '--project', project]
  const down = await runDocket(args)
  assert.equal(down.code, 1)
  assert.match(down.err, /is not running: it runs with "docket start"/)
  const child = spawnDocket([...args, '--keep-up'])
  children.add(child)
  const ended = outcomeOf(child)
  const [shown] = await Promise.all([
    waitFor(child, /^postgresql:.*\n/m),
    waitFor(child, /Ctrl-C stops it/),
  ])
  const address = await docket('database-url')
  assert.equal(address.trim(), /^postgresql:.*$/m.exec(shown)?.[0])
  const client = new pg.Client({ connectionString: address.trim() })
  await client.connect()
  const { rows } = await client.query('SELECT title FROM records.note ORDER BY id LIMIT 1')
  await client.end()
  assert.deepEqual(rows, [{ title: 'first' }])
  child.kill('SIGINT')
  assert.equal((await ended).code, 0)
})

test('an invalid restore is reported in a sentence and ends with 1 or 2', async () => {
  const fails = async (code: number, pattern: RegExp, ...args: string[]) => {
    const { code: given, err } = await runDocket([...args, '--project', project])
    assert.match(err, pattern)
    assert.equal(given, code)
    assert.doesNotMatch(err, /\n\s+at /)
  }
  await fails(1, /no\.tar\.gz cannot be read/, 'restore', 'no.tar.gz')
  await fails(
    1,
    /was not restored; the database is unchanged\. It is not a backup/,
    'restore',
    join(project, 'entities/note.json'),
  )
  await fails(
    1,
    /is not a complete backup/,
    'restore',
    '--check',
    join(project, 'entities/note.json'),
  )
  await fails(1, /x\.tar\.gz cannot be written/, 'backup', '--out', join(project, 'no', 'x.tar.gz'))
  await fails(2, /--drop-waiting requires --accept-copy/, 'deliveries', '--drop-waiting')
})
