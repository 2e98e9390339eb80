/** Simultaneous calls: each gets its own result, in order, within the limits of the pool. */
import assert from 'node:assert/strict'
import { mkdtemp, rmdir } from 'node:fs/promises'
import { test } from 'node:test'
import {
  answering,
  createFunctions,
  running,
  subject,
} from '../../support/functions/some-functions.ts'

test('50 simultaneous calls each get their own document', async () => {
  const functions = await createFunctions({
    'document-functions/id.mjs': answering(
      'await new Promise((done) => setTimeout(done, context.entityId % 3)); return context.entityId',
    ),
  })
  const ids = Array.from({ length: 50 }, (_, index) => index)
  const texts = await Promise.all(
    ids.map((entityId) => functions.textOf('id', { ...subject, entityId })),
  )
  assert.deepEqual(texts, ids.map(String))
  await functions.remove()
})

test('killing half of 20 simultaneous calls does not affect the other half', async () => {
  const functions = await createFunctions({
    'document-functions/id.mjs': answering('return context.entityId'),
    'document-functions/exit.mjs': running('process.exit()'),
  })
  const calls = Array.from({ length: 20 }, (_, entityId) =>
    entityId % 2 === 0
      ? functions.textOf('id', { ...subject, entityId })
      : functions.errorOf('exit').then(({ reason }) => reason),
  )
  assert.deepEqual(
    await Promise.all(calls),
    calls.map((_, index) => (index % 2 === 0 ? String(index) : 'exited')),
  )
  await functions.remove()
})

test('a thread runs one call at a time, and every thread runs one', async () => {
  // Threads share no memory, so they count each other by folders.
  const text = `import { mkdirSync, readdirSync, rmdirSync } from 'node:fs'
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
}`
  const functions = await createFunctions(
    { 'document-functions/count.mjs': text },
    { maxProcesses: 3 },
  )
  const folder = await mkdtemp(`${functions.directory}/at-once-`)
  const counts = await Promise.all(
    Array.from({ length: 20 }, async (_, entityId) =>
      JSON.parse(await functions.textOf('count', { ...subject, entityId, record: { folder } })),
    ),
  )
  assert.equal(Math.max(...counts.map(([inside]) => inside)), 1)
  assert.ok(Math.max(...counts.map(([, atOnce]) => atOnce)) <= 3)
  await rmdir(folder)
  await functions.remove()
})

test('calls beyond the waiting limit fail immediately, and the others get a result', async () => {
  const functions = await createFunctions(
    { 'document-functions/id.mjs': answering('return context.entityId') },
    { maxProcesses: 1, maxWaiting: 2 },
  )
  const calls = await Promise.allSettled(
    [1, 2, 3, 4].map((entityId) => functions.textOf('id', { ...subject, entityId })),
  )
  assert.deepEqual(
    calls.map((call) => (call.status === 'fulfilled' ? call.value : call.reason.message)),
    ['1', '2', '3', 'The document function "id" was not run: 2 calls wait already.'],
  )
  await functions.remove()
})

test('closing ends running, waiting and later calls', async () => {
  const functions = await createFunctions(
    { 'document-functions/loop.mjs': running('for (;;);', 60_000) },
    { maxProcesses: 1 },
  )
  const calls = [functions.errorOf('loop'), functions.errorOf('loop')]
  await functions.close()
  for (const call of [...calls, functions.errorOf('loop')])
    assert.equal(
      (await call).message,
      'The document function "loop" was cancelled because the service stops.',
    )
  await functions.remove()
})

test('documents are received unchanged, also when they share their bytes', async () => {
  const functions = await createFunctions({
    'document-functions/many.mjs': `export const timeout = 5000
const kept = Buffer.from('kept by the module')
export const exec = () => {
  const large = Buffer.alloc(300_000, 'large ')
  const view = large.subarray(6, 11)
  const shared = new Uint8Array(new SharedArrayBuffer(3)).fill(65)
  const document = (data) => ({ filename: 'a', mimetype: 'a/b; charset=utf-8', data, more: () => 1 })
  return { documents: [large, large, view, shared, Buffer.alloc(0), kept].map(document), more: () => 1 }
}`,
  })
  for (let call = 0; call < 3; call++) {
    const documents = await functions.makeDocuments('many', subject)
    const texts = documents.map(({ data }) => Buffer.from(data).toString())
    const large = Buffer.alloc(300_000, 'large ').toString()
    assert.deepEqual(texts, [large, large, 'large', 'AAA', '', 'kept by the module'])
    for (const document of documents)
      assert.deepEqual(Object.keys(document), ['filename', 'mimetype', 'data'])
  }
  await functions.remove()
})

test('a subject that cannot be sent to a thread is an error of its call only', async () => {
  const functions = await createFunctions({ 'document-functions/id.mjs': answering('return 1') })
  const record = { method: () => 1 }
  await assert.rejects(functions.makeDocuments('id', { ...subject, record }), {
    reason: 'threw',
    message: /"id" cannot receive its subject: /,
  })
  assert.equal(await functions.textOf('id'), '1')
  await functions.remove()
})
