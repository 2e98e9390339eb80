/** Every call ends, whatever a function does; its error is reported, and other calls continue. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { opened } from '../../support/afterwards.ts'
import { answering, createFunctions, running } from '../../support/functions/some-functions.ts'

const nothing = 'return { documents: [] }'
const exec = `export const exec = () => { ${nothing} }`
const givenAway = `export const timeout = 5000
const data = Buffer.alloc(100_000, 1)
export const exec = () => {
  if (data.buffer.detached) return { documents: [{ filename: 'a', mimetype: 'a/b', data }] }
  structuredClone(data, { transfer: [data.buffer] })
  return exec()
}`
const large = `{ filename: 'a', mimetype: 'a/b', data: Buffer.alloc(1_000_001) }`
const never = 'await new Promise(() => {})'

type Row = readonly [text: string, message: RegExp]

/** By their reason, and by the name of the function. */
const failures: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  'timed-out': {
    loop: [running('for (;;);', 300), /^The document function "loop" timed out after 300 ms\.$/],
    promise: [running(never, 300), /timed out after 300 ms\.$/],
    sleep: [
      running('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)', 300),
      /timed out after 300 ms\.$/,
    ],
  },
  threw: {
    throws: [
      running("throw new Error('no such order')"),
      /^The document function "throws" threw "no such order"\.$/,
    ],
    'throws-text': [running("throw 'plain words'"), /threw "'plain words'"\.$/],
    'throws-late': [
      running(`setTimeout(() => { throw new Error('late') }, 5); ${never}`),
      /threw "late"\.$/,
    ],
    rejects: [
      running(`Promise.reject(new Error('unhandled')); ${nothing}`),
      /left a rejection unhandled: "unhandled"\.$/,
    ],
    aborts: [running('process.abort()'), /process\.abort/],
    recursion: [
      running('const deeper = () => deeper() + 1; deeper()'),
      /threw "Maximum call stack size exceeded"\.$/,
    ],
  },
  exited: {
    exits: [running('process.exit(3)'), /exited with code 3 instead of answering\.$/],
    killed: [
      running(`process.kill(process.pid, 'SIGKILL'); ${never}`),
      /^The document function "killed" ended its process \(SIGKILL\)\.$/,
    ],
  },
  'out-of-memory': {
    objects: [
      running('const kept = []; for (;;) kept.push({ x: Math.random(), y: [1, 2] })', 200_000),
      /ran out of memory: it may take 64 MiB\.$/,
    ],
    buffers: [
      running('const kept = []; for (;;) kept.push(Buffer.alloc(1e6, 1))', 200_000),
      /ran out of memory/,
    ],
  },
  'wrong-answer': {
    'no-answer': [running(''), /returned undefined instead of \{ documents: \[\.\.\.\] \}\.$/],
    large: [
      running(`return { documents: [${large}] }`),
      /returned 1000001 bytes of documents instead of at most 1000000\.$/,
    ],
    'given-away': [givenAway, /documents\[0\]\.data was transferred with an earlier answer/],
  },
  'not-loaded': {
    syntax: ['export const exec = (', /^The document function "syntax" could not be loaded: /],
    lacking: ["import './lacking-part.js'", /could not be loaded: "Cannot find module/],
    'loads-throwing': ["throw new Error('no key')", /could not be loaded: "no key"\.$/],
    'no-exec': [
      'export const timeout = 5000',
      /exports nothing as "exec" instead of a function\.$/,
    ],
    'no-timeout': [exec, /exports nothing as "timeout" instead of milliseconds above 0/],
    'no-time': [`export const timeout = 0; ${exec}`, /exports 0 as "timeout"/],
    'text-timeout': [`export const timeout = '5000'; ${exec}`, /exports '5000' as "timeout"/],
  },
}

const functions = opened(async () => {
  const files = Object.values(failures)
    .flatMap((rows) => Object.entries(rows))
    .map(([name, [text]]) => [`document-functions/${name}.mjs`, text])
  return createFunctions(
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

for (const [reason, rows] of Object.entries(failures))
  test(`what ends by "${reason}" is an error, and other simultaneous and later calls succeed`, async () => {
    const beside = functions.textOf('slow')
    for (const [name, [, message]] of Object.entries(rows)) {
      const error = await functions.errorOf(name)
      assert.deepEqual([error.reason, error.functionName], [reason, name], error.message)
      assert.match(error.message, message)
      assert.equal(await functions.textOf('good'), 'good')
    }
    assert.equal(await beside, 'slow')
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

test('no path and no name of an object is a function; a name that is like one gets a suggestion', async () => {
  const paths = ['../good', 'document-functions/good', 'good.mjs', '/etc/x', 'constructor', '']
  for (const name of paths) assert.equal((await functions.errorOf(name)).reason, 'unknown', name)
  assert.match((await functions.errorOf('goood')).message, /did you mean "good"\?/)
})
