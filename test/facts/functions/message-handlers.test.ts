/** Message handlers: what they may return, and their errors. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  createFunctions,
  subject,
  type TestFunctions,
} from '../../support/functions/some-functions.ts'

let functions: TestFunctions
before(async () => {
  functions = await createFunctions({
    'message-handlers/throws.mjs': "export const exec = () => { throw new Error('x') }",
    'message-handlers/quiet.mjs': 'export const exec = () => 5',
    'message-handlers/timeout.mjs':
      'export const timeout = 100; export const exec = () => { for (;;); }',
  })
})
after(() => functions.remove())

test('a message handler needs no timeout and may return anything', async () => {
  await functions.handleMessage('quiet', subject)
})

test('errors of a message handler name it as one', async () => {
  await assert.rejects(functions.handleMessage('throws', subject), {
    message: 'The message handler "throws" threw "x".',
  })
  await assert.rejects(functions.handleMessage('timeout', subject), {
    message: 'The message handler "timeout" timed out after 100 ms.',
  })
})
