/** The processes that print: in parallel, reused, with a waiting line, and ended when closed. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startWorkerThread } from '../../../src/runtime/start-worker-thread.ts'
import { endedAfterwards, outcomeOf } from '../../support/docket.ts'
import { createPrinter } from '../../support/documents/a-printer.ts'
import { startTestService, writeProject } from '../../support/service.ts'
import { until, within } from '../../support/wait.ts'

const endless = { source: '#for a in range(1000000) { for b in range(1000000) { let c = a + b } }' }
const own = { source: '#json("data.json").n' }
const json = (n: number) => ({ json: JSON.stringify({ n }) })

/** Ids of the processes that print for a process. */
const printersOf = async (parent: number | undefined): Promise<number[]> => {
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pid=,ppid=,args='])
  return stdout.split('\n').flatMap((line) => {
    const [, pid, ppid, args = ''] = /^ *(\d+) +(\d+) (.*)$/.exec(line) ?? []
    return Number(ppid) === parent && args.includes('typst-thread') ? [Number(pid)] : []
  })
}

const isGone = (id: number): boolean => {
  try {
    return !process.kill(id, 0)
  } catch {
    return true
  }
}

test('no process runs before the first document, then at most the configured number', async () => {
  const printer = await createPrinter({}, { maxProcesses: 2 })
  assert.deepEqual(await printersOf(process.pid), [])
  await printer.print(own, json(1))
  assert.equal((await printersOf(process.pid)).length, 1)
  await Promise.all(Array.from({ length: 6 }, (_, n) => printer.print(own, json(n))))
  assert.equal((await printersOf(process.pid)).length, 2)
  await printer.remove()
})

test('simultaneous documents each get their own data, in one process and in several', async () => {
  for (const maxProcesses of [1, 3]) {
    const printer = await createPrinter({}, { maxProcesses })
    const printed = await Promise.all(
      Array.from({ length: 12 }, (_, n) => printer.print(own, json(n))),
    )
    assert.deepEqual(
      printed.map(({ pages }) => pages),
      Array.from({ length: 12 }, (_, n) => [String(n)]),
    )
    await printer.remove()
  }
})

test('while one does not end, others are printed in parallel and this process continues', async () => {
  const printer = await createPrinter({}, { maxProcesses: 2 })
  const running = printer.errorOf(endless)
  for (let n = 0; n < 5; n++) assert.deepEqual((await printer.print(own, json(n))).pages, [`${n}`])
  await printer.close()
  assert.equal((await running).reason, 'stopped')
  await printer.remove()
})

test('one that is ended affects no other', async () => {
  const printer = await createPrinter({}, { maxProcesses: 1, timeoutMs: 20_000 })
  const [error, ...printed] = await Promise.all([
    printer.errorOf(endless),
    ...Array.from({ length: 5 }, (_, n) => printer.print(own, json(n))),
  ])
  assert.equal(error.reason, 'timed-out')
  assert.deepEqual(
    printed.map(({ pages }) => pages.join()),
    ['0', '1', '2', '3', '4'],
  )
  await printer.remove()
})

test('a document beyond the waiting limit is rejected immediately', async () => {
  const printer = await createPrinter({}, { maxProcesses: 1, maxWaiting: 2 })
  const taken = [printer.errorOf(endless), printer.errorOf(own), printer.errorOf(own)]
  // The earlier ones may not have reached the engine yet.
  await until('the process runs', async () => (await printersOf(process.pid)).length === 1)
  const { reason, message } = await printer.errorOf(own)
  assert.deepEqual(
    [reason, message],
    ['saturated', 'waits behind 2 others, so it was not rendered'],
  )
  await printer.close()
  for (const error of taken) assert.equal((await error).reason, 'stopped')
  await printer.remove()
})

test('a document whose process does not start in time is rejected, and the process is ended', async () => {
  const printer = await createPrinter({}, { startTimeoutMs: 1 })
  const { reason, message } = await printer.errorOf(own)
  assert.deepEqual(
    [reason, message],
    ['saturated', 'was not rendered: no process started within 0.001 s'],
  )
  await until('no process runs', async () => (await printersOf(process.pid)).length === 0)
  await printer.remove()
})

test('closing ends running, waiting and later documents, and every process', async () => {
  const printer = await createPrinter({}, { maxProcesses: 2 })
  const begun = [endless, endless, own, own].map((ref) => printer.errorOf(ref))
  await until('both run', async () => (await printersOf(process.pid)).length === 2)
  await printer.close()
  assert.deepEqual(await printersOf(process.pid), [])
  for (const error of [...begun, printer.errorOf(own)]) {
    const { reason, message } = await error
    assert.deepEqual([reason, message], ['stopped', 'was cancelled because the service stops'])
  }
  await printer.close()
  await printer.remove()
})

test('closing an unused printer ends immediately', async () => {
  const printer = await createPrinter({}, {})
  await printer.close()
  assert.equal((await printer.errorOf(own)).reason, 'stopped')
  await printer.remove()
})

test('a process that the system kills is an error of its document only', async () => {
  const printer = await createPrinter({}, { maxProcesses: 1 })
  const running = printer.errorOf(endless)
  await until('it runs', async () => (await printersOf(process.pid)).length === 1)
  const [id] = await printersOf(process.pid)
  assert.ok(id)
  process.kill(id, 'SIGKILL')
  assert.equal((await running).reason, 'crashed')
  assert.deepEqual((await printer.print(own, json(1))).pages, ['1'])
  const [idle] = await printersOf(process.pid)
  assert.ok(idle)
  process.kill(idle, 'SIGKILL')
  await until('it is gone', () => isGone(idle))
  assert.deepEqual((await printer.print(own, json(2))).pages, ['2'])
  await printer.remove()
})

test('changed, new and removed files are used for the next document', async () => {
  const printer = await createPrinter(
    { 'a.typ': '#import "b.typ": b\n#b #json("c.json")', 'b.typ': '#let b = "one"', 'c.json': '1' },
    { maxProcesses: 1 },
  )
  assert.deepEqual((await printer.print('a.typ')).pages, ['one 1'])
  await printer.write('b.typ', '#let b = "two"')
  assert.deepEqual((await printer.print('a.typ')).pages, ['two 1'])
  await printer.write('c.json', '22')
  assert.deepEqual((await printer.print('a.typ')).pages, ['two 22'])
  await printer.write('a.typ', '#include "new.typ"')
  assert.deepEqual(await printer.issuesOf('a.typ'), [
    'a.typ:1:10 there is no file new.typ in printable-documents/',
  ])
  await printer.write('new.typ', 'three')
  assert.deepEqual((await printer.print('a.typ')).pages, ['three'])
  await printer.removeFile('new.typ')
  assert.deepEqual(await printer.issuesOf('a.typ'), [
    'a.typ:1:10 there is no file new.typ in printable-documents/',
  ])
  await printer.remove()
})

/** A program that prints with the engine, as the service does. */
const program = (template: string) => `
import { loadConfig } from ${JSON.stringify(fileURLToPath(new URL('../../../src/config/load-config.ts', import.meta.url)))}
import { documentLimitsOf } from ${JSON.stringify(fileURLToPath(new URL('../../../src/config/process-limits.ts', import.meta.url)))}
import { createTypstEngine } from ${JSON.stringify(fileURLToPath(new URL('../../../src/documents/typst/typst-engine.ts', import.meta.url)))}
const engine = createTypstEngine({ timeZone: 'UTC', ...documentLimitsOf(loadConfig({})) })
const data = { json: '{}', locale: 'en', generatedAt: new Date() }
const rendered = engine.render({ main: 'a', source: ${JSON.stringify(template)}, files: new Map() }, data)
console.log((await rendered).pages)
`
const start = (template: string) =>
  endedAfterwards(
    spawn(process.execPath, ['--input-type=module', '--eval', program(template)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )

test('an engine that is not closed does not keep its process alive', async () => {
  const child = start('Order')
  const { code, out } = await within('it ends', outcomeOf(child))
  assert.deepEqual([code, out], [0, '1\n'])
})

test('a service that is killed leaves no printing process', async () => {
  const child = start(endless.source)
  await until('it prints', async () => (await printersOf(child.pid)).length === 1)
  const [id] = await printersOf(child.pid)
  assert.ok(id)
  child.kill('SIGKILL')
  await until('nothing prints', () => isGone(id))
})

test('documents of requests and of jobs are rendered by the same process', async (t) => {
  const service = await startTestService(
    await writeProject({
      'entities/parcel.json': {
        key: 'parcel',
        hooks: [
          { type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' },
        ],
        fields: [{ key: 'reader', type: 'manyToOne', entity: 'user' }],
        notifications: [
          {
            operation: 'create',
            recipient: { userFields: ['reader'], skipRightsCheck: true },
            attachments: { printableDocuments: ['sheet'] },
          },
        ],
      },
    }),
    { DOCUMENTS_MAX_PROCESSES: '1' },
  )
  t.after(() => service.stop())
  const worker = await startWorkerThread(service.runtime, { watch: false })
  t.after(() => worker.stop())
  const document = { code: 'sheet', name: 'Sheet', entity_key: 'parcel', template_source: 'Text' }
  const { id } = (await service.ask('GET', '/api/me')).json()
  for (const [path, body] of [
    ['/printable_document', document],
    ['/parcel', { reader_id: id }],
  ] as const)
    assert.equal((await service.ask('POST', path, { body })).status, 201)
  const attachments = 'SELECT FROM docket.attachment'
  await until(
    'the document of the e-mail is rendered',
    async () => (await service.database.pool.query(attachments)).rowCount === 1,
  )
  assert.equal((await service.ask('GET', '/parcel/1/documents/sheet')).status, 200)
  assert.equal((await printersOf(process.pid)).length, 1)
})
