/** Calls of functions: what a function receives, returns and prints, how many run at once, and what ends them. */
import assert from 'node:assert/strict'
import { mkdtemp, rmdir } from 'node:fs/promises'
import { test } from 'node:test'
import { functionVariables } from '../../../src/config/process-limits.ts'
import { opened } from '../../support/afterwards.ts'
import {
  answering,
  createFunctions,
  running,
  subject,
} from '../../support/functions/some-functions.ts'

const one = "{ filename: 'a', mimetype: 'text/plain', data: Buffer.from(word) }"
const programs = {
  'esm.mjs': `export const timeout = 5000; const word = 'mjs'; export const exec = () => ({ documents: [${one}] })`,
  'esm-in-js.js': `export const timeout = 5000; const word = 'js'; export const exec = () => ({ documents: [${one}] })`,
  'cjs.cjs': `const { join } = require('node:path'); const word = join('c', 'js'); module.exports = { timeout: 5000, exec: () => ({ documents: [${one}] }) }`,
  'cjs-in-js.js': `exports.timeout = 5000; const word = 'exports'; exports.exec = () => ({ documents: [${one}] })`,
  'cjs-made.cjs': `const word = 'made'; const make = () => ({ timeout: 5000, exec: () => ({ documents: [${one}] }) }); module.exports = make()`,
  'cjs-default.cjs': `Object.defineProperty(exports, '__esModule', { value: true }); const word = 'default'; exports.default = { timeout: 5000, exec: () => ({ documents: [${one}] }) }`,
  'cjs-circle.cjs': `const word = 'circle'; const make = () => ({ timeout: 5000, exec: () => ({ documents: [${one}] }) }); module.exports = make(); module.exports.default = module.exports`,
  'esm-default.mjs': `const word = 'mjs'; export default { timeout: 5000, exec: () => ({ documents: [${one}] }) }`,
  'types.ts': `import type { Stats } from 'node:fs'\nimport { word } from './parts/word.ts'\nexport const timeout: number = 5000\nexport const exec = (_: unknown, stats?: Stats) => ({ documents: [${one}] })`,
  'parts/word.ts': "export const word: string = 'ts'",
  'id.mjs': answering(
    'await new Promise((done) => setTimeout(done, context.entityId % 3)); return context.entityId',
  ),
  'exit.mjs': running('process.exit()'),
  // Threads share no memory, so they count each other by folders.
  'at-once.mjs': `import { mkdirSync, readdirSync, rmdirSync } from 'node:fs'
let inside = 0
export const timeout = 5000
export const exec = async ({ entityId, record }) => {
  const mine = record.folder + '/' + entityId
  mkdirSync(mine)
  inside += 1
  const most = [inside, readdirSync(record.folder).length]
  await new Promise((done) => setTimeout(done, 10))
  inside -= 1
  rmdirSync(mine)
  return { documents: [{ filename: 'a', mimetype: 'a/b', data: Buffer.from(JSON.stringify(most)) }] }
}`,
  'many.mjs': `export const timeout = 5000
const kept = Buffer.from('kept by the module')
export const exec = () => {
  const large = Buffer.alloc(300_000, 'large ')
  const view = large.subarray(6, 11)
  const shared = new Uint8Array(new SharedArrayBuffer(3)).fill(65)
  const whole = new TextEncoder().encode('array buffer').buffer
  const document = (data) => ({ filename: 'a', mimetype: 'a/b; charset=utf-8', data, more: () => 1 })
  return { documents: [large, large, view, shared, whole, Buffer.alloc(0), kept].map(document), more: () => 1 }
}`,
  'subject.mjs': answering(
    'const { services, log, ...rest } = context; const text = JSON.stringify(rest); context.record.id = 8; return text',
  ),
  'set.mjs': answering("process.env.LEFT = 'behind'; return 1"),
  'fetch.mjs': answering("await fetch('http://127.0.0.1:1/')"),
  'talk.mjs': answering(
    `context.log.debug('a', 1); context.log.info({ b: 2 }); context.log.warn('%s!', 'c'); context.log.error(new Error('d').message)
       console.log('printed'); console.error('to error'); process.stdout.write('in two\\nlines\\n'); process.stderr.write(new Uint8Array([104, 105]))
       await new Promise((done) => process.stdout.write('called back', done)); return 1`,
  ),
  'loop.mjs': running("console.log('here'); for (;;);", 1_000),
  'endless.mjs': running("for (;;) console.log('x'.repeat(1000))", 1_000),
}
const handlers = {
  'throws.mjs': "export const exec = () => { throw new Error('x') }",
  'quiet.mjs': 'export const exec = () => 5',
  'timeout.mjs': 'export const timeout = 100; export const exec = () => { for (;;); }',
}
const inFolder = (folder: string, files: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]))

const functions = opened(() =>
  createFunctions({
    ...inFolder('document-functions', programs),
    ...inFolder('message-handlers', handlers),
  }),
)

const linesOf = (name: string) => functions.logged.filter((line) => line.function === name)

test('ES modules, CommonJS and TypeScript run, with their imports', async () => {
  const names = ['esm', 'esm-in-js', 'cjs', 'cjs-in-js', 'cjs-made', 'types']
  names.push('cjs-default', 'cjs-circle', 'esm-default')
  const texts = await Promise.all(names.map((name) => functions.textOf(name)))
  assert.deepEqual(texts, [
    ...['mjs', 'js', 'c/js', 'exports', 'made', 'ts', 'default', 'circle', 'mjs'],
  ])
})

test('50 simultaneous calls each get their own document; those that end their process affect no other', async () => {
  const calls = Array.from({ length: 50 }, (_, entityId) =>
    entityId % 20 === 10
      ? functions.errorOf('exit').then(({ reason }) => reason)
      : functions.textOf('id', { ...subject, entityId }),
  )
  assert.deepEqual(
    await Promise.all(calls),
    calls.map((_, index) => (index % 20 === 10 ? 'exited' : String(index))),
  )
})

test('a thread runs one call at a time, and every thread runs one', async () => {
  const folder = await mkdtemp(`${functions.directory}/at-once-`)
  const counts = await Promise.all(
    Array.from({ length: 20 }, async (_, entityId) =>
      JSON.parse(await functions.textOf('at-once', { ...subject, entityId, record: { folder } })),
    ),
  )
  assert.equal(Math.max(...counts.map(([inside]) => inside)), 1)
  assert.ok(Math.max(...counts.map(([, atOnce]) => atOnce)) <= 2)
  await rmdir(folder)
})

test('calls beyond the waiting limit fail immediately; closing ends running, waiting and later calls', async () => {
  const limited = await createFunctions(
    {
      'document-functions/id.mjs': answering('return context.entityId'),
      'document-functions/loop.mjs': running('for (;;);', 60_000),
    },
    { maxProcesses: 1, maxWaiting: 2 },
  )
  const calls = await Promise.allSettled(
    [1, 2, 3, 4].map((entityId) => limited.textOf('id', { ...subject, entityId })),
  )
  assert.deepEqual(
    calls.map((call) => (call.status === 'fulfilled' ? call.value : call.reason.message)),
    ['1', '2', '3', 'The document function "id" was not run: 2 calls wait already.'],
  )
  const loops = [limited.errorOf('loop'), limited.errorOf('loop')]
  await limited.close()
  for (const call of [...loops, limited.errorOf('loop')])
    assert.equal(
      (await call).message,
      'The document function "loop" was cancelled because the service stops.',
    )
  await limited.remove()
})

test('documents are received unchanged, also when they share their bytes', async () => {
  for (let call = 0; call < 3; call++) {
    const documents = await functions.makeDocuments('many', subject)
    const texts = documents.map(({ data }) => Buffer.from(data).toString())
    const large = Buffer.alloc(300_000, 'large ').toString()
    const expected = [large, large, 'large', 'AAA', 'array buffer', '', 'kept by the module']
    assert.deepEqual(texts, expected)
    for (const document of documents)
      assert.deepEqual(Object.keys(document), ['filename', 'mimetype', 'data'])
  }
})

test('a function gets its subject, and its changes to it and to its environment stay local', async () => {
  const action = {
    key: 'approve',
    name: 'Approve',
    kind: 'approveWorkflow',
    form: 'approve',
    from: 'review',
    from_name: 'In review',
    to: 'approved',
    to_name: 'Approved',
  } as const
  const text = await functions.textOf('subject', { ...subject, action })
  assert.deepEqual(JSON.parse(text), { ...subject, action })
  assert.equal(subject.record.id, 7)
  await functions.textOf('set')
  assert.equal(process.env.LEFT, undefined)
})

test('a subject that cannot be sent to a thread is an error of its call only', async () => {
  const record = { method: () => 1 }
  await assert.rejects(functions.makeDocuments('id', { ...subject, record }), {
    reason: 'threw',
    message: /"id" cannot receive its subject: /,
  })
  assert.equal(await functions.textOf('id'), '7')
})

test('an error contains its cause, such as why a fetch failed', async () => {
  await assert.rejects(
    functions.textOf('fetch'),
    /threw "fetch failed: .*(ECONNREFUSED|bad port).*"/,
  )
})

test('a function gets the variables intended for functions, and neither others nor the arguments of the service', async () => {
  process.env.DATABASE_URL = 'postgres://docket:secret@host/x'
  const given = { DOCKET_FN_TOKEN: 's3cret', DATABASE_URL: 'x', DOCKET_TOKEN: 'y' }
  const variables = functionVariables(given)
  assert.deepEqual(variables, { DOCKET_FN_TOKEN: 's3cret' })
  const text = answering(
    'return JSON.stringify([Object.keys(process.env).sort(), process.env.DOCKET_FN_TOKEN, process.env.NODE_ENV, process.argv.slice(2), process.execArgv])',
  )
  const options = { nodeEnv: 'staging', variables }
  const own = await createFunctions({ 'document-functions/env.mjs': text }, options)
  const seen = JSON.parse(await own.textOf('env'))
  delete process.env.DATABASE_URL
  assert.deepEqual(seen, [
    ['DOCKET_FN_TOKEN', 'NODE_ENV', 'TZ'],
    ...['s3cret', 'staging', []],
    ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'],
  ])
  await own.remove()
})

test('output and log lines of a function are logged with its name', async () => {
  await functions.textOf('talk')
  assert.deepEqual(
    linesOf('talk').map(({ severity, text }) => [severity, text]),
    [
      ['debug', 'a 1'],
      ['info', '{ b: 2 }'],
      ['warn', 'c!'],
      ['error', 'd'],
      ['info', 'printed'],
      ['warn', 'to error'],
      ['info', 'in two\nlines'],
      ['warn', 'hi'],
      ['info', 'called back'],
    ],
  )
})

test('lines before an endless loop are logged; endless lines are truncated', async () => {
  await Promise.all([functions.errorOf('loop'), functions.errorOf('endless')])
  assert.deepEqual(
    linesOf('loop').map(({ text }) => text),
    ['here'],
  )
  const lines = linesOf('endless')
  assert.ok(lines.length < 70, String(lines.length))
  assert.equal(lines.at(-1)?.text, '(past 65536 characters, the rest is omitted)')
})

test('a message handler needs no timeout and may return anything; its errors name it as one', async () => {
  await functions.handleMessage('quiet', subject)
  await assert.rejects(functions.handleMessage('throws', subject), {
    message: 'The message handler "throws" threw "x".',
  })
  await assert.rejects(functions.handleMessage('timeout', subject), {
    message: 'The message handler "timeout" timed out after 100 ms.',
  })
})
