/** Threads of a process render documents with one engine, through a channel. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { MessageChannel } from 'node:worker_threads'
import { connectEngine, serveEngine } from '../../../src/documents/engine-channel.ts'
import {
  type PdfEngine,
  RenderError,
  type Template,
  type TemplateFiles,
} from '../../../src/documents/typst/engine.ts'
import { startWorkerThread } from '../../../src/runtime/start-worker-thread.ts'
import { startTestService, writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const data = { json: '{"n":1}', locale: 'en', generatedAt: new Date() }
const files: TemplateFiles = new Map([['a.typ', Buffer.from('A')]])

/** An engine behind a channel, and what it received. */
const connect = (render: PdfEngine['render']) => {
  const rendered: Template[] = []
  const { port1, port2 } = new MessageChannel()
  const engine: PdfEngine = {
    render: (template, given) => {
      rendered.push(template)
      return render(template, given)
    },
    close: async () => undefined,
  }
  serveEngine(engine, port1)
  return { engine: connectEngine(port2), rendered }
}

test('documents are returned with their data, and templates are sent once', async () => {
  const { engine, rendered } = connect(async ({ main }, { json }) => ({
    ...{ pdf: Buffer.from(`${main} ${json}`), pages: 1, diagnostics: [] },
  }))
  const made = await Promise.all([
    engine.render({ main: 'a.typ', files }, data),
    engine.render({ main: 'source', source: 'B', files }, data),
  ])
  assert.deepEqual(
    made.map((one) => 'pdf' in one && Buffer.from(one.pdf).toString()),
    ['a.typ {"n":1}', 'source {"n":1}'],
  )
  const [first, second] = rendered
  assert.equal(Buffer.from(first?.files.get('a.typ') ?? []).toString(), 'A')
  assert.equal(first?.files, second?.files)
  const changed = new Map([['b.typ', Buffer.from('B')]])
  await engine.render({ main: 'b.typ', files: changed }, data)
  assert.deepEqual([...(rendered[2]?.files.keys() ?? [])], ['b.typ'])
  await engine.close()
})

test('an engine that fails sends its error to the other side', async () => {
  const { engine } = connect(async () => {
    throw new RenderError('timed-out', 'took longer than 1 s')
  })
  await assert.rejects(engine.render({ main: 'a.typ', files }, data), {
    ...{ name: 'RenderError', reason: 'timed-out', message: 'took longer than 1 s' },
  })
  await engine.close()
})

test('closing the channel ends pending documents', async () => {
  const { engine } = connect(() => new Promise(() => undefined))
  const waiting = assert.rejects(engine.render({ main: 'a.typ', files }, data), {
    ...{ name: 'RenderError', reason: 'stopped' },
  })
  await engine.close()
  await waiting
})

/** The number of child processes that render documents. */
const countProcesses = async (): Promise<number> => {
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'ppid=,args='])
  const own = new RegExp(`^ *${process.pid} .*typst-thread`)
  return stdout.split('\n').filter((line) => own.test(line)).length
}

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
  assert.equal(await countProcesses(), 1)
})
