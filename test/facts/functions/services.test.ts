/** Services receive the arguments of a function unchanged, and the function receives their result unchanged. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { apiError, validationError } from '../../../src/errors.ts'
import type { OfferedServices } from '../../../src/functions/function-context.ts'
import { opened } from '../../support/afterwards.ts'
import {
  answering,
  createFunctions,
  noServices,
  running,
  subject,
} from '../../support/functions/some-functions.ts'
import { within } from '../../support/wait.ts'

const failing = (error: Error): Partial<OfferedServices> => ({
  findRecords: () => Promise.reject(error),
})
const issuesAt = (...paths: string[]) =>
  failing(
    validationError(
      'criteria.invalid',
      paths.map((path) => ({ path, message: 'is unknown' })),
    ),
  )
const breaking: Partial<OfferedServices> = {
  exportEntity: async function* () {
    yield Buffer.alloc(10)
    throw apiError('database.unavailable', 'The database cannot be reached now.')
  },
}

/** Calls that the services refuse, what the function gets, and the services. */
const refusedCalls: readonly [call: string, message: string, given?: Partial<OfferedServices>][] = [
  ["records.find('line', {})", 'records.find: $where.x: is unknown', issuesAt('$where.x')],
  [
    "records.find('line', {})",
    'records.find: $where.x is unknown; $where.y is unknown',
    issuesAt('$where.x', '$where.y'),
  ],
  [
    "entityExport.export('line')",
    'entityExport.export: The database cannot be reached now.',
    breaking,
  ],
  ['records.find({ a: 1 })', 'records.find: entityKey must be a string, not object'],
  [
    "entityExport.export('line', {}, { format: 5 })",
    'entityExport.export: format must be a string, not number',
  ],
  [
    "documents.render('a', 'order', '7')",
    'documents.render: entityId must be a whole number, not string',
  ],
]
const uncloned = "records.find('line', { $where: () => 1 })"

const bodies: Readonly<Record<string, string>> = {
  find: answering(
    "const found = await context.services.records.find('line', { $where: { order: 7 } }); return found.map(({ id }) => id)",
  ),
  render: answering(
    "const bytes = await context.services.documents.render('offer', 'order', 7); return bytes.toString() + bytes.byteLength",
  ),
  file: answering(
    "return Buffer.from(await context.services.files.read('order', 7, 12)).toString()",
  ),
  export: `export const timeout = 60_000
export const exec = async ({ services }) => {
  const data = await services.entityExport.export('line', { $select: ['id'] }, { format: 'xlsx' })
  return { documents: [{ filename: 'a', mimetype: 'a/b', data }] }
}`,
  busy: answering("context.services.entityExport.export('line'); await null; for (;;);", 2_000),
  waiting: answering("await context.services.entityExport.export('line')", 2_000),
  collecting: running("await context.services.entityExport.export('line')", 60_000),
  many: answering(
    "const all = await Promise.all(Array.from({ length: 100 }, (_, id) => context.services.records.find('line', { id }))); return all.flat().map(({ id }) => id)",
  ),
  late: answering(
    "if (context.entityId === 1) context.services.records.find('line', {}); await new Promise((done) => setTimeout(done, 20)); return context.entityId",
  ),
}
const refusedBodies = [...refusedCalls.map(([call]) => call), uncloned].map((call, index) => [
  `refused-${index}`,
  answering(
    `try { await context.services.${call}; return 'nothing' } catch (error) { return error.message }`,
  ),
])

/** Those of the test that runs. */
let services: OfferedServices = noServices
const functions = opened(async () => {
  const files = [...Object.entries(bodies), ...refusedBodies].map(([name, text]) => [
    `document-functions/${name}.mjs`,
    text,
  ])
  return createFunctions(Object.fromEntries(files), {
    services: {
      findRecords: (...args) => services.findRecords(...args),
      renderDocument: (...args) => services.renderDocument(...args),
      exportEntity: (...args) => services.exportEntity(...args),
      readFile: (...args) => services.readFile(...args),
    },
    maxProcesses: 1,
    maxBytes: 20_000_000,
    memoryBytes: 64 * 1_048_576,
  })
})

const offer = (offered: Partial<OfferedServices>) => {
  services = { ...noServices, ...offered }
}

test('what a service refuses is thrown in the function, which can continue', async () => {
  for (const [index, [, message, given = {}]] of refusedCalls.entries()) {
    offer(given)
    assert.equal(await functions.textOf(`refused-${index}`), `services.${message}`)
  }
  const last = await functions.textOf(`refused-${refusedCalls.length}`)
  assert.equal(last, '() => 1 could not be cloned.')
})

test('records and documents are returned as the services give them', async () => {
  const asked: unknown[] = []
  offer({
    findRecords: async (...args) => {
      asked.push(args)
      return '[{"id":1},{"id":2}]'
    },
    readFile: async function* (file) {
      asked.push(file)
      yield* [Buffer.from('a'), Buffer.from('b')]
    },
    renderDocument: async (...args) => {
      asked.push(args)
      // A part of the memory that Node.js shares between small buffers.
      return Buffer.from('%PDF')
    },
  })
  assert.equal(await functions.textOf('find'), '1,2')
  assert.equal(await functions.textOf('render'), '%PDF4')
  assert.equal(await functions.textOf('file'), 'ab')
  assert.deepEqual(asked, [
    ['line', { $where: { order: 7 } }],
    ['offer', 'order', 7],
    { entityKey: 'order', entityId: 7, fileId: 12 },
  ])
})

test('an export is received byte for byte, and its chunks stay with their producer', async () => {
  const bytes = randomBytes(3_000_000)
  const requests: unknown[] = []
  offer({
    exportEntity: async function* (request) {
      requests.push(request)
      for (let at = 0; at < bytes.length; at += 70_000) yield bytes.subarray(at, at + 70_000)
    },
  })
  const sum = (data: Uint8Array | undefined) =>
    createHash('sha256')
      .update(data ?? '')
      .digest('hex')
  for (let call = 0; call < 2; call++) {
    const [document] = await functions.makeDocuments('export', subject)
    assert.equal(sum(document?.data), sum(bytes))
  }
  assert.deepEqual(requests[0], {
    entityKey: 'line',
    criteria: { $select: ['id'] },
    format: 'xlsx',
  })
})

test('an export waits for a busy thread, and ends with it', async () => {
  let made = 0
  const ended = Promise.withResolvers<boolean>()
  offer({
    exportEntity: async function* (_request, left) {
      try {
        for (;;) {
          made += 1
          yield Buffer.alloc(100_000)
        }
      } finally {
        ended.resolve(left.aborted)
      }
    },
  })
  assert.equal((await functions.errorOf('busy')).reason, 'timed-out')
  assert.equal(await within('the export is ended', ended.promise), true)
  assert.equal(made, 1)
})

test('an export that waits for its rows is cancelled when the function ends', async () => {
  const left = Promise.withResolvers<void>()
  offer({
    exportEntity: async function* (_request, signal) {
      signal.addEventListener('abort', () => left.resolve())
      await left.promise
    },
  })
  assert.equal((await functions.errorOf('waiting')).reason, 'timed-out')
  await within('the export is cancelled', left.promise)
})

test('a function can collect an export that exceeds its memory only up to its limit', async () => {
  offer({
    exportEntity: async function* () {
      for (;;) yield Buffer.alloc(1_000_000)
    },
  })
  assert.equal((await functions.errorOf('collecting')).reason, 'out-of-memory')
})

test('many simultaneous calls get a result, a few at a time', async () => {
  let atOnce = 0
  let most = 0
  offer({
    findRecords: async (_key, criteria) => {
      atOnce += 1
      most = Math.max(most, atOnce)
      await new Promise((done) => setTimeout(done, 1))
      atOnce -= 1
      return JSON.stringify([criteria])
    },
  })
  assert.equal(await functions.textOf('many'), Array.from({ length: 100 }, (_, id) => id).join(','))
  assert.equal(most, 4)
})

test('a result for a call that has ended is discarded', async () => {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<string>()
  offer({
    findRecords: () => {
      asked.resolve()
      return answer.promise
    },
  })
  assert.equal(await functions.textOf('late', { ...subject, entityId: 1 }), '1')
  await within('the call has arrived', asked.promise)
  answer.resolve('[]')
  assert.equal(await functions.textOf('late', { ...subject, entityId: 2 }), '2')
})
