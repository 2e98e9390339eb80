/** What functions log and print is in the log of the service. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  answering,
  createFunctions,
  running,
  type TestFunctions,
} from '../../support/functions/some-functions.ts'

const opened: TestFunctions[] = []
const open: typeof createFunctions = async (...args) => {
  const functions = await createFunctions(...args)
  opened.push(functions)
  return functions
}
after(() => Promise.all(opened.map((functions) => functions.remove())))

test('output and log lines of a function are logged with its name', async () => {
  const functions = await open({
    'document-functions/talk.mjs': answering(
      `context.log.debug('a', 1); context.log.info({ b: 2 }); context.log.warn('%s!', 'c'); context.log.error(new Error('d').message)
       console.log('printed'); console.error('to error'); process.stdout.write('in two\\nlines\\n'); process.stderr.write(new Uint8Array([104, 105]))
       await new Promise((done) => process.stdout.write('called back', done)); return 1`,
    ),
  })
  await functions.textOf('talk')
  assert.deepEqual(
    functions.logged.map(({ severity, text }) => [severity, text]),
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
  assert.ok(functions.logged.every((line) => line.function === 'talk'))
})

test('lines before an endless loop are logged; endless lines are truncated', async () => {
  const functions = await open({
    'document-functions/loop.mjs': running("console.log('here'); for (;;);", 2_000),
    'document-functions/talk.mjs': running("for (;;) console.log('x'.repeat(1000))", 2_000),
  })
  await functions.errorOf('loop')
  assert.deepEqual(
    functions.logged.map(({ text }) => text),
    ['here'],
  )
  await functions.errorOf('talk')
  const lines = functions.logged.slice(1)
  assert.ok(lines.length < 70, String(lines.length))
  assert.equal(lines.at(-1)?.text, '(past 65536 characters, the rest is omitted)')
})
