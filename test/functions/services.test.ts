/** What a function asks of the services arrives as it was asked, and the answer as it was given. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import type { OfferedServices } from '../../src/functions/function-services.ts'
import { within } from '../support/wait.ts'
import {
  answering,
  noServices,
  running,
  type SomeFunctions,
  someFunctions,
  subject,
} from './some-functions.ts'

const opened: SomeFunctions[] = []
after(() => Promise.all(opened.map((functions) => functions.remove())))

const open = async (body: string, services: Partial<OfferedServices>, timeout?: number) => {
  const functions = await someFunctions(
    { 'document-functions/ask.mjs': body.startsWith('export') ? body : answering(body, timeout) },
    { services: { ...noServices, ...services }, maxProcesses: 1, maxBytes: 20_000_000 },
  )
  opened.push(functions)
  return functions
}

test('records.find gives records of what was asked for', async () => {
  const asked: unknown[] = []
  const functions = await open(
    "const found = await context.services.records.find('line', { $where: { order: 7 } }); return found.map(({ id }) => id)",
    {
      findRecords: async (...words) => {
        asked.push(words)
        return '[{"id":1},{"id":2}]'
      },
    },
  )
  assert.equal(await functions.textOf('ask'), '1,2')
  assert.deepEqual(asked, [['line', { $where: { order: 7 } }]])
})

test('documents.render gives bytes of just their length', async () => {
  const asked: unknown[] = []
  const functions = await open(
    "const bytes = await context.services.documents.render('offer', 'order', 7); return bytes.toString() + bytes.byteLength",
    {
      renderDocument: async (...words) => {
        asked.push(words)
        // A part of the memory that Node shares between small buffers.
        return Buffer.from('%PDF')
      },
    },
  )
  assert.equal(await functions.textOf('ask'), '%PDF4')
  assert.deepEqual(asked, [['offer', 'order', 7]])
})

test('an export arrives byte for byte, and its chunks stay with whoever made them', async () => {
  const bytes = randomBytes(3_000_000)
  const wishes: unknown[] = []
  const functions = await open(
    `export const timeout = 5000
export const exec = async ({ services }) => {
  const data = await services.entityExport.export('line', { $select: ['id'] }, { format: 'xlsx' })
  return { documents: [{ filename: 'a', mimetype: 'a/b', data }] }
}`,
    {
      exportEntity: async function* (wish) {
        wishes.push(wish)
        for (let at = 0; at < bytes.length; at += 70_000) yield bytes.subarray(at, at + 70_000)
      },
    },
  )
  const sum = (data: Uint8Array | undefined) =>
    createHash('sha256')
      .update(data ?? '')
      .digest('hex')
  for (let call = 0; call < 2; call++) {
    const [document] = await functions.makeDocuments('ask', subject)
    assert.equal(sum(document?.data), sum(bytes))
  }
  assert.deepEqual(wishes[0], {
    entityKey: 'line',
    criteria: { $select: ['id'] },
    format: 'xlsx',
  })
})

test('a small export is its bytes and nothing beside them', async () => {
  const functions = await open(
    "return (await context.services.entityExport.export('line')).toString()",
    {
      exportEntity: async function* () {
        yield Buffer.from('id\r\n')
        yield Buffer.from('1\r\n')
      },
    },
  )
  assert.equal(await functions.textOf('ask'), 'id\r\n1\r\n')
})

test('an export waits for a thread that is busy, and is ended with it', async () => {
  let made = 0
  const ended = Promise.withResolvers<boolean>()
  const functions = await open(
    "context.services.entityExport.export('line'); await null; for (;;);",
    {
      exportEntity: async function* (_wish, left) {
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
    500,
  )
  assert.equal((await functions.errorOf('ask')).reason, 'timed-out')
  assert.equal(await within('the export is ended', ended.promise), true)
  assert.equal(made, 1)
})

test('an export that waits for its rows is left when the function is ended', async () => {
  const left = Promise.withResolvers<void>()
  const functions = await open(
    "await context.services.entityExport.export('line')",
    {
      exportEntity: async function* (_wish, signal) {
        signal.addEventListener('abort', () => left.resolve())
        await left.promise
      },
    },
    200,
  )
  assert.equal((await functions.errorOf('ask')).reason, 'timed-out')
  await within('the export is left', left.promise)
})

test('a function gathers an export that outgrows its memory only up to its limit', async () => {
  const functions = await someFunctions(
    {
      'document-functions/ask.mjs': running(
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
  assert.equal((await functions.errorOf('ask')).reason, 'out-of-memory')
})

test('many asks at once are answered, a few at a time', async () => {
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
  assert.equal(await functions.textOf('ask'), Array.from({ length: 100 }, (_, id) => id).join(','))
  assert.equal(most, 4)
})

test('an answer to a call that has ended goes to nobody', async () => {
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
  assert.equal(await functions.textOf('ask', { ...subject, entityId: 1 }), '1')
  await within('it has asked', asked.promise)
  answer.resolve('[]')
  assert.equal(await functions.textOf('ask', { ...subject, entityId: 2 }), '2')
})
