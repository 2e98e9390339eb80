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

type Row = readonly [title: string, text: string, reason: FailureReason, message: RegExp]

const nothing = 'return { documents: [] }'
const exec = `export const exec = () => { ${nothing} }`
const givenAway = `export const timeout = 5000
const data = Buffer.alloc(100_000, 1)
export const exec = () => {
  if (data.buffer.detached) return { documents: [{ filename: 'a', mimetype: 'a/b', data }] }
  structuredClone(data, { transfer: [data.buffer] })
  return exec()
}`

/** By the name of the function. */
const rows: Readonly<Record<string, Row>> = {
  loop: [
    'an endless loop',
    running('for (;;);', 300),
    'timed-out',
    /^The document function "loop" timed out after 300 ms\.$/,
  ],
  promise: [
    'a promise that never settles',
    running('await new Promise(() => {})', 300),
    'timed-out',
    /timed out after 300 ms\.$/,
  ],
  wait: [
    'a sleep that blocks the thread',
    running('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)', 300),
    'timed-out',
    /timed out after 300 ms\.$/,
  ],
  throws: [
    'a throw',
    running("throw new Error('no such order')"),
    'threw',
    /^The document function "throws" threw "no such order"\.$/,
  ],
  'throws-text': [
    'a thrown value that is not an error',
    running("throw 'plain words'"),
    'threw',
    /threw "'plain words'"\.$/,
  ],
  'throws-late': [
    'a throw in a timer',
    running("setTimeout(() => { throw new Error('late') }, 5); await new Promise(() => {})"),
    'threw',
    /threw "late"\.$/,
  ],
  rejects: [
    'an unhandled rejection',
    running(`Promise.reject(new Error('unhandled')); ${nothing}`),
    'threw',
    /left a rejection unhandled: "unhandled"\.$/,
  ],
  exits: [
    'process.exit',
    running('process.exit(3)'),
    'exited',
    /exited with code 3 instead of answering\.$/,
  ],
  aborts: ['process.abort', running('process.abort()'), 'threw', /process\.abort/],
  objects: [
    'endless objects',
    running('const kept = []; for (;;) kept.push({ x: Math.random(), y: [1, 2] })', 200_000),
    'out-of-memory',
    /ran out of memory: it may take 64 MiB\.$/,
  ],
  buffers: [
    'endless buffers',
    running('const kept = []; for (;;) kept.push(Buffer.alloc(1e6, 1))', 200_000),
    'out-of-memory',
    /ran out of memory/,
  ],
  killed: [
    'a signal to its own process',
    running("process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})"),
    'exited',
    /^The document function "killed" ended its process \(SIGKILL\)\.$/,
  ],
  recursion: [
    'an endless recursion',
    running('const deeper = () => deeper() + 1; deeper()'),
    'threw',
    /threw "Maximum call stack size exceeded"\.$/,
  ],
  'no-answer': [
    'no answer',
    running(''),
    'wrong-answer',
    /returned undefined instead of \{ documents: \[\.\.\.\] \}\.$/,
  ],
  large: [
    'documents that are too large',
    running(
      "return { documents: [{ filename: 'a', mimetype: 'a/b', data: Buffer.alloc(1_000_001) }] }",
    ),
    'wrong-answer',
    /returned 1000001 bytes of documents instead of at most 1000000\.$/,
  ],
  'given-away': [
    'bytes that a document of an earlier call owned',
    givenAway,
    'wrong-answer',
    /documents\[0\]\.data was transferred with an earlier answer/,
  ],
  syntax: [
    'a file with a syntax error',
    'export const exec = (',
    'not-loaded',
    /^The document function "syntax" could not be loaded: /,
  ],
  lacking: [
    'an import that does not exist',
    "import './lacking-part.js'",
    'not-loaded',
    /could not be loaded: "Cannot find module/,
  ],
  'loads-throwing': [
    'a module that throws',
    "throw new Error('no key')",
    'not-loaded',
    /could not be loaded: "no key"\.$/,
  ],
  'no-exec': [
    'a module without exec',
    'export const timeout = 5000',
    'not-loaded',
    /exports nothing as "exec" instead of a function\.$/,
  ],
  'no-timeout': [
    'a document function without a timeout',
    exec,
    'not-loaded',
    /exports nothing as "timeout" instead of milliseconds above 0/,
  ],
  'negative-timeout': [
    'a timeout below 0',
    `export const timeout = -1; ${exec}`,
    'not-loaded',
    /exports -1 as "timeout"/,
  ],
  'text-timeout': [
    'a timeout that is not a number',
    `export const timeout = '5000'; ${exec}`,
    'not-loaded',
    /exports '5000' as "timeout"/,
  ],
}

let functions: TestFunctions
before(async () => {
  const files = Object.entries(rows).map(([name, [, text]]) => [
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

for (const [name, [title, , reason, message]] of Object.entries(rows))
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
