/** Services receive the arguments of a function unchanged, and the function receives their result unchanged. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import type { OfferedServices } from '../../../src/functions/function-services.ts'
import {
  answering,
  createFunctions,
  noServices,
  running,
  subject,
  type TestFunctions,
} from '../../support/functions/some-functions.ts'
import { within } from '../../support/wait.ts'

const opened: TestFunctions[] = []
after(() => Promise.all(opened.map((functions) => functions.remove())))

const open = async (body: string, services: Partial<OfferedServices>, timeout?: number) => {
  const functions = await createFunctions(
    { 'document-functions/call.mjs': body.startsWith('export') ? body : answering(body, timeout) },
    { services: { ...noServices, ...services }, maxProcesses: 1, maxBytes: 20_000_000 },
  )
  opened.push(functions)
  return functions
}

test('records.find returns the requested records', async () => {
  const asked: unknown[] = []
  const functions = await open(
    "const found = await context.services.records.find('line', { $where: { order: 7 } }); return found.map(({ id }) => id)",
    {
      findRecords: async (...args) => {
        asked.push(args)
        return '[{"id":1},{"id":2}]'
      },
    },
  )
  assert.equal(await functions.textOf('call'), '1,2')
  assert.deepEqual(asked, [['line', { $where: { order: 7 } }]])
})

test('documents.render returns exactly the bytes of the document', async () => {
  const asked: unknown[] = []
  const functions = await open(
    "const bytes = await context.services.documents.render('offer', 'order', 7); return bytes.toString() + bytes.byteLength",
    {
      renderDocument: async (...args) => {
        asked.push(args)
        // A part of the memory that Node.js shares between small buffers.
        return Buffer.from('%PDF')
      },
    },
  )
  assert.equal(await functions.textOf('call'), '%PDF4')
  assert.deepEqual(asked, [['offer', 'order', 7]])
})

test('an export is received byte for byte, and its chunks stay with their producer', async () => {
  const bytes = randomBytes(3_000_000)
  const requests: unknown[] = []
  const functions = await open(
    `export const timeout = 60_000
export const exec = async ({ services }) => {
  const data = await services.entityExport.export('line', { $select: ['id'] }, { format: 'xlsx' })
  return { documents: [{ filename: 'a', mimetype: 'a/b', data }] }
}`,
    {
      exportEntity: async function* (request) {
        requests.push(request)
        for (let at = 0; at < bytes.length; at += 70_000) yield bytes.subarray(at, at + 70_000)
      },
    },
  )
  const sum = (data: Uint8Array | undefined) =>
    createHash('sha256')
      .update(data ?? '')
      .digest('hex')
  for (let call = 0; call < 2; call++) {
    const [document] = await functions.makeDocuments('call', subject)
    assert.equal(sum(document?.data), sum(bytes))
  }
  assert.deepEqual(requests[0], {
    entityKey: 'line',
    criteria: { $select: ['id'] },
    format: 'xlsx',
  })
})

test('a small export returns its bytes and no others', async () => {
  const functions = await open(
    "return (await context.services.entityExport.export('line')).toString()",
    {
      exportEntity: async function* () {
        yield Buffer.from('id\r\n')
        yield Buffer.from('1\r\n')
      },
    },
  )
  assert.equal(await functions.textOf('call'), 'id\r\n1\r\n')
})

test('an export waits for a busy thread, and ends with it', async () => {
  let made = 0
  const ended = Promise.withResolvers<boolean>()
  const functions = await open(
    "context.services.entityExport.export('line'); await null; for (;;);",
    {
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
    },
    5_000,
  )
  assert.equal((await functions.errorOf('call')).reason, 'timed-out')
  assert.equal(await within('the export is ended', ended.promise), true)
  assert.equal(made, 1)
})

test('an export that waits for its rows is cancelled when the function ends', async () => {
  const left = Promise.withResolvers<void>()
  const functions = await open(
    "await context.services.entityExport.export('line')",
    {
      exportEntity: async function* (_request, signal) {
        signal.addEventListener('abort', () => left.resolve())
        await left.promise
      },
    },
    5_000,
  )
  assert.equal((await functions.errorOf('call')).reason, 'timed-out')
  await within('the export is cancelled', left.promise)
})

test('a function can collect an export that exceeds its memory only up to its limit', async () => {
  const functions = await createFunctions(
    {
      'document-functions/call.mjs': running(
        "await context.services.entityExport.export('line')",
        60_000,
      ),
    },
    {
      services: {
        ...noServices,
        exportEntity: async function* () {
          for (;;) yield Buffer.alloc(1_000_000)
        },
      },
      memoryBytes: 64 * 1_048_576,
    },
  )
  opened.push(functions)
  assert.equal((await functions.errorOf('call')).reason, 'out-of-memory')
})

test('many simultaneous calls get a result, a few at a time', async () => {
  let atOnce = 0
  let most = 0
  const functions = await open(
    "const all = await Promise.all(Array.from({ length: 100 }, (_, id) => context.services.records.find('line', { id }))); return all.flat().map(({ id }) => id)",
    {
      findRecords: async (_key, criteria) => {
        atOnce += 1
        most = Math.max(most, atOnce)
        await new Promise((done) => setTimeout(done, 1))
        atOnce -= 1
        return JSON.stringify([criteria])
      },
    },
  )
  assert.equal(await functions.textOf('call'), Array.from({ length: 100 }, (_, id) => id).join(','))
  assert.equal(most, 4)
})

test('a result for a call that has ended is discarded', async () => {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<string>()
  const functions = await open(
    "if (context.entityId === 1) context.services.records.find('line', {}); await new Promise((done) => setTimeout(done, 20)); return context.entityId",
    {
      findRecords: () => {
        asked.resolve()
        return answer.promise
      },
    },
  )
  assert.equal(await functions.textOf('call', { ...subject, entityId: 1 }), '1')
  await within('the call has arrived', asked.promise)
  answer.resolve('[]')
  assert.equal(await functions.textOf('call', { ...subject, entityId: 2 }), '2')
})
