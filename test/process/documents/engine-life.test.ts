/** The processes that print: in parallel, reused, with a waiting line, and ended when closed. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startWorkerThread } from '../../../src/runtime/start-worker-thread.ts'
import { afterwards } from '../../support/afterwards.ts'
import { endedAfterwards, outcomeOf } from '../../support/docket.ts'
import { createPrinter, endless } from '../../support/documents/a-printer.ts'
import { hooks } from '../../support/notifications/an-engine-project.ts'
import { startTestService } from '../../support/service.ts'
import { until, within } from '../../support/wait.ts'

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

const untilPrinting = (parent: number | undefined, count: number) =>
  until(`${count} processes print`, async () => {
    const ids = await printersOf(parent)
    return ids.length === count && ids
  })

const isGone = (id: number): boolean => {
  try {
    return !process.kill(id, 0)
  } catch {
    return true
  }
}

test('no process runs before the first document, then at most as many as configured; closing ends what runs, waits and comes later', async () => {
  const printer = await createPrinter({}, { maxProcesses: 2, maxWaiting: 6 })
  assert.deepEqual(await printersOf(process.pid), [])
  await printer.print(own, json(1))
  assert.equal((await printersOf(process.pid)).length, 1)
  const numbers = Array.from({ length: 8 }, (_, n) => n)
  const printed = await Promise.all(numbers.map((n) => printer.print(own, json(n))))
  assert.deepEqual(
    printed.map(({ pages }) => pages),
    numbers.map((n) => [String(n)]),
  )
  assert.equal((await printersOf(process.pid)).length, 2)

  // Others are printed while one does not end.
  const begun = [printer.errorOf(endless)]
  for (let n = 0; n < 3; n++) assert.deepEqual((await printer.print(own, json(n))).pages, [`${n}`])
  begun.push(...[endless, ...Array(6).fill(own)].map((ref) => printer.errorOf(ref)))
  // The earlier ones may not have reached the engine yet.
  await untilPrinting(process.pid, 2)
  const { reason, message } = await printer.errorOf(own)
  assert.deepEqual(
    [reason, message],
    ['saturated', 'waits behind 6 others, so it was not rendered'],
  )
  await printer.close()
  assert.deepEqual(await printersOf(process.pid), [])
  for (const error of [...begun, printer.errorOf(own)]) {
    const { reason, message } = await error
    assert.deepEqual([reason, message], ['stopped', 'was cancelled because the service stops'])
  }
  await printer.close()
  await printer.remove()
})

test('a document whose process does not start in time is rejected, and the process is ended', async () => {
  const printer = await createPrinter({}, { startTimeoutMs: 1 })
  const { reason, message } = await printer.errorOf(own)
  assert.deepEqual(
    [reason, message],
    ['saturated', 'was not rendered: no process started within 0.001 s'],
  )
  await untilPrinting(process.pid, 0)
  await printer.remove()
})

test('a process that the system kills is an error of its document only', async () => {
  const printer = await createPrinter({}, { maxProcesses: 1 })
  const running = printer.errorOf(endless)
  const waiting = [1, 2].map((n) => printer.print(own, json(n)))
  const [id = 0] = await untilPrinting(process.pid, 1)
  process.kill(id, 'SIGKILL')
  assert.equal((await running).reason, 'crashed')
  for (const [index, { pages }] of (await Promise.all(waiting)).entries())
    assert.deepEqual(pages, [String(index + 1)])
  const [idle = 0] = await printersOf(process.pid)
  process.kill(idle, 'SIGKILL')
  await until('it is gone', () => isGone(idle))
  assert.deepEqual((await printer.print(own, json(3))).pages, ['3'])
  await printer.remove()
})

/** A program that prints with the engine, as the service does. */
const program = (template: string) => {
  const from = (path: string) =>
    JSON.stringify(fileURLToPath(new URL(`../../../src/${path}`, import.meta.url)))
  return `
import { loadConfig } from ${from('config/load-config.ts')}
import { documentLimitsOf } from ${from('config/process-limits.ts')}
import { createTypstEngine } from ${from('documents/typst/typst-engine.ts')}
const engine = createTypstEngine({ timeZone: 'UTC', ...documentLimitsOf(loadConfig({})) })
const data = { json: '{}', locale: 'en', generatedAt: new Date() }
const rendered = engine.render({ main: 'a', source: ${JSON.stringify(template)}, files: new Map() }, data)
console.log((await rendered).pages)
`
}
const start = (template: string) =>
  endedAfterwards(
    spawn(process.execPath, ['--input-type=module', '--eval', program(template)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )

test('an engine that is not closed does not keep its process alive', async () => {
  const { code, out } = await within('it ends', outcomeOf(start('Order')))
  assert.deepEqual([code, out], [0, '1\n'])
})

test('a service that is killed leaves no printing process', async () => {
  const child = start(endless.source)
  const [id = 0] = await untilPrinting(child.pid, 1)
  child.kill('SIGKILL')
  await until('nothing prints', () => isGone(id))
})

test('documents of requests and of jobs are rendered by the same process', async () => {
  const service = await startTestService(
    {
      'entities/parcel.json': {
        key: 'parcel',
        hooks,
        fields: [{ key: 'reader', type: 'manyToOne', entity: 'user' }],
        notifications: [
          {
            operation: 'create',
            recipient: { userFields: ['reader'], skipRightsCheck: true },
            attachments: { printableDocuments: ['sheet'] },
          },
        ],
      },
    },
    { DOCUMENTS_MAX_PROCESSES: '1' },
  )
  const worker = await startWorkerThread(service.runtime, { watch: false })
  afterwards(() => worker.stop())
  const document = { code: 'sheet', name: 'Sheet', entity_key: 'parcel', template_source: 'Text' }
  for (const [path, body] of [
    ['/printable_document', document],
    ['/parcel', { reader_id: 1 }],
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
