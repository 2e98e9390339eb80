/** `docket check` loads the functions of a project, and says which cannot be loaded and where. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { check, findingsOf } from './a-checked-project.ts'

const exec = 'export const exec = () => ({ documents: [] })\n'

test('is finished also when a function has started a process that lives on for a while', async () => {
  const program = 'setTimeout(() => undefined, 1000)'
  const { code, lines } = await check({
    'document-functions/a.ts': [
      `import { spawn } from 'node:child_process'`,
      `spawn(process.execPath, ['-e', '${program}'], { stdio: ['ignore', 'ignore', 2] })`,
      'export const timeout = 5',
      '',
    ].join('\n'),
  })
  assert.match(lines[0] ?? '', /document-functions\/a\.ts:1:1/)
  assert.equal(code, 3)
})

test('functions that cannot be loaded are errors with their line', async () => {
  const found = await findingsOf({
    'document-functions/a.ts': 'export const timeout = 5\n\nexport const exec = (=> {}\n',
    'document-functions/b.mjs': 'export const timeout = 5\n\nconst = 3\n',
    'document-functions/c.ts': 'export const timeout = 5\n',
    'document-functions/d.ts': exec,
    'document-functions/e.cjs': 'exports.timeout = 5\nexports.exec = () => 1\nnotThere()\n',
    'document-functions/right.ts': `${exec}export const timeout = 5\n`,
    'message-handlers/f.ts': 'import { z } from "./nowhere.ts"\nexport const exec = () => z\n',
    'message-handlers/right.ts': exec,
  })
  assert.deepEqual(
    found.map((line) => line.replace(/ '\/.*nowhere/, ' nowhere').replace(/ imported from.*/, '')),
    [
      'document-functions/a.ts:3:22 could not be loaded: "Expression expected"',
      `document-functions/b.mjs:3:7 could not be loaded: "Unexpected token '='"`,
      'document-functions/c.ts:1:1 exports nothing as "exec" instead of a function',
      'document-functions/d.ts:1:1 exports nothing as "timeout" instead of milliseconds above 0, at most 3600000',
      'document-functions/e.cjs:3:1 could not be loaded: "notThere is not defined"',
      `message-handlers/f.ts:1:1 could not be loaded: "Cannot find module nowhere.ts'`,
    ],
  )
})

test('a function that never finishes loading is an error, and so is one that ends its process', async () => {
  const found = await findingsOf({
    'message-handlers/kill.ts': `process.kill(process.pid, 'SIGKILL')\n${exec}`,
    'message-handlers/loop.ts': `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)\n${exec}`,
  })
  assert.deepEqual(found, [
    'message-handlers/kill.ts:1:1 ended its process (SIGKILL)',
    'message-handlers/loop.ts:1:1 did not load within 10000 ms',
  ])
})
