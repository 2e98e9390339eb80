/** Every call ends, whatever a function does; its error is reported, and other calls continue. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { FailureReason } from '../../../src/functions/function-error.ts'
import {
  answering,
  createFunctions,
  running,
  type TestFunctions,
} from '../../support/functions/some-functions.ts'

type Row = {
  readonly title: string
  readonly text: string
  readonly reason: FailureReason
  readonly message: RegExp
}

const nothing = 'return { documents: [] }'
const rows: Readonly<Record<string, Row>> = {
  loop: {
    title: 'an endless loop',
    text: running('for (;;);', 300),
    reason: 'timed-out',
    message: /^The document function "loop" timed out after 300 ms\.$/,
  },
  promise: {
    title: 'a promise that never settles',
    text: running('await new Promise(() => {})', 300),
    reason: 'timed-out',
    message: /timed out after 300 ms\.$/,
  },
  wait: {
    title: 'a sleep that blocks the thread',
    text: running('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)', 300),
    reason: 'timed-out',
    message: /timed out after 300 ms\.$/,
  },
  pattern: {
    title: 'a regular expression that never ends',
    text: running("/^(a+)+$/.test('a'.repeat(60) + 'b')", 300),
    reason: 'timed-out',
    message: /timed out after 300 ms\.$/,
  },
  microtasks: {
    title: 'endless microtasks',
    text: running('for (;;) await null', 300),
    reason: 'timed-out',
    message: /timed out after 300 ms\.$/,
  },
  throws: {
    title: 'a throw',
    text: running("throw new Error('no such order')"),
    reason: 'threw',
    message: /^The document function "throws" threw "no such order"\.$/,
  },
  'throws-text': {
    title: 'a thrown value that is not an error',
    text: running("throw 'plain words'"),
    reason: 'threw',
    message: /threw "'plain words'"\.$/,
  },
  'throws-late': {
    title: 'a throw in a timer',
    text: running("setTimeout(() => { throw new Error('late') }, 5); await new Promise(() => {})"),
    reason: 'threw',
    message: /threw "late"\.$/,
  },
  rejects: {
    title: 'an unhandled rejection',
    text: running(`Promise.reject(new Error('unhandled')); ${nothing}`),
    reason: 'threw',
    message: /left a rejection unhandled: "unhandled"\.$/,
  },
  exits: {
    title: 'process.exit',
    text: running('process.exit(3)'),
    reason: 'exited',
    message: /exited with code 3 instead of answering\.$/,
  },
  aborts: {
    title: 'process.abort',
    text: running('process.abort()'),
    reason: 'threw',
    message: /process\.abort/,
  },
  objects: {
    title: 'endless objects',
    text: running('const kept = []; for (;;) kept.push({ x: Math.random(), y: [1, 2] })', 200_000),
    reason: 'out-of-memory',
    message: /ran out of memory: it may take 64 MiB\.$/,
  },
  buffers: {
    title: 'endless buffers',
    text: running('const kept = []; for (;;) kept.push(Buffer.alloc(1e6, 1))', 200_000),
    reason: 'out-of-memory',
    message: /ran out of memory/,
  },
  killed: {
    title: 'a signal to its own process',
    text: running("process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})"),
    reason: 'exited',
    message: /^The document function "killed" ended its process \(SIGKILL\)\.$/,
  },
  recursion: {
    title: 'an endless recursion',
    text: running('const deeper = () => deeper() + 1; deeper()'),
    reason: 'threw',
    message: /threw "Maximum call stack size exceeded"\.$/,
  },
  'no-answer': {
    title: 'no answer',
    text: running(''),
    reason: 'wrong-answer',
    message: /returned undefined instead of \{ documents: \[\.\.\.\] \}\.$/,
  },
  large: {
    title: 'documents that are too large',
    text: running(
      "return { documents: [{ filename: 'a', mimetype: 'a/b', data: Buffer.alloc(1_000_001) }] }",
    ),
    reason: 'wrong-answer',
    message: /returned 1000001 bytes of documents instead of at most 1000000\.$/,
  },
  'given-away': {
    title: 'bytes that a document of an earlier call owned',
    text: `export const timeout = 5000
const data = Buffer.alloc(100_000, 1)
export const exec = () => {
  if (data.buffer.detached) return { documents: [{ filename: 'a', mimetype: 'a/b', data }] }
  structuredClone(data, { transfer: [data.buffer] })
  return exec()
}`,
    reason: 'wrong-answer',
    message: /documents\[0\]\.data was transferred with an earlier answer/,
  },
  syntax: {
    title: 'a file with a syntax error',
    text: 'export const exec = (',
    reason: 'not-loaded',
    message: /^The document function "syntax" could not be loaded: /,
  },
  lacking: {
    title: 'an import that does not exist',
    text: "import './lacking-part.js'",
    reason: 'not-loaded',
    message: /could not be loaded: "Cannot find module/,
  },
  'loads-throwing': {
    title: 'a module that throws',
    text: "throw new Error('no key')",
    reason: 'not-loaded',
    message: /could not be loaded: "no key"\.$/,
  },
  'no-exec': {
    title: 'a module without exec',
    text: 'export const timeout = 5000',
    reason: 'not-loaded',
    message: /exports nothing as "exec" instead of a function\.$/,
  },
  'no-timeout': {
    title: 'a document function without a timeout',
    text: `export const exec = () => { ${nothing} }`,
    reason: 'not-loaded',
    message: /exports nothing as "timeout" instead of milliseconds above 0/,
  },
  'negative-timeout': {
    title: 'a timeout below 0',
    text: `export const timeout = -1; export const exec = () => { ${nothing} }`,
    reason: 'not-loaded',
    message: /exports -1 as "timeout"/,
  },
  'text-timeout': {
    title: 'a timeout that is not a number',
    text: `export const timeout = '5000'; export const exec = () => { ${nothing} }`,
    reason: 'not-loaded',
    message: /exports '5000' as "timeout"/,
  },
}

let functions: TestFunctions
before(async () => {
  const files = Object.entries(rows).map(([name, { text }]) => [
    `document-functions/${name}.mjs`,
    text,
  ])
  functions = await createFunctions(
    {
      ...Object.fromEntries(files),
      'document-functions/good.mjs': answering("return 'good'"),
      'document-functions/slow.mjs': answering(
        "await new Promise((done) => setTimeout(done, 400)); return 'slow'",
      ),
    },
    { memoryBytes: 64 * 1_048_576 },
  )
})
after(() => functions.remove())

for (const [name, { title, reason, message }] of Object.entries(rows))
  test(`${title} is an error, and other simultaneous and later calls succeed`, async () => {
    const beside = functions.textOf('slow')
    const error = await functions.errorOf(name)
    assert.equal(error.reason, reason, error.message)
    assert.match(error.message, message)
    assert.equal(error.functionName, name)
    assert.equal(await beside, 'slow')
    assert.equal(await functions.textOf('good'), 'good')
  })

test('a module that never finishes loading is an error', async () => {
  const hasty = await createFunctions(
    { 'document-functions/loads.mjs': 'await new Promise((done) => setTimeout(done, 1e9))' },
    { loadTimeoutMs: 500 },
  )
  const { reason, message } = await hasty.errorOf('loads')
  assert.deepEqual(
    [reason, message],
    ['timed-out', 'The document function "loads" did not load within 500 ms.'],
  )
  await hasty.remove()
})

test('an error contains where the function threw', async () => {
  const { functionStack } = await functions.errorOf('throws')
  assert.match(functionStack ?? '', /throws\.mjs:2:\d+/)
})

test('no path and no name of an object is a function', async () => {
  for (const name of [
    '../good',
    'document-functions/good',
    'good.mjs',
    'constructor',
    '',
    '/etc/x',
  ])
    assert.equal((await functions.errorOf(name)).reason, 'unknown', name)
})

test('an unknown name gets a suggestion', async () => {
  assert.match((await functions.errorOf('goood')).message, /did you mean "good"\?/)
})
