/** Threads of a process render documents with one engine, through a channel. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import { connectEngine, serveEngine } from '../../../src/documents/engine-channel.ts'
import {
  type PdfEngine,
  RenderError,
  type Template,
  type TemplateFiles,
} from '../../../src/documents/typst/engine.ts'

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
    pdf: Buffer.from(`${main} ${json}`),
    pages: 1,
    diagnostics: [],
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
    name: 'RenderError',
    reason: 'timed-out',
    message: 'took longer than 1 s',
  })
  await engine.close()
})

test('closing the channel ends pending documents', async () => {
  const { engine } = connect(() => new Promise(() => undefined))
  const waiting = assert.rejects(engine.render({ main: 'a.typ', files }, data), {
    name: 'RenderError',
    reason: 'stopped',
  })
  await engine.close()
  await waiting
})
