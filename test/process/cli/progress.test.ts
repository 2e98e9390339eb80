/** The progress of `docket export` is shown on a terminal when it writes a file, and not when rows go into a pipe. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { callDocket } from '../../support/call-docket.ts'
import { createTestDatabase } from '../../support/database.ts'
import { endedAfterwards, main, outcomeOf } from '../../support/docket.ts'
import { writeProject } from '../../support/service.ts'

test('progress is for people who see it', async () => {
  const { connectionString } = await createTestDatabase()
  const PROJECT = await writeProject({
    'entities/thing.json': { key: 'thing', fields: [{ key: 'name', type: 'string' }] },
  })
  const environment = { DATABASE_URL: connectionString, PROJECT }
  assert.equal((await callDocket(['migrate'], environment)).code, 0)
  const docket = `'${process.execPath}' '${main}' export thing`
  // `script` provides a terminal, as a user has one.
  const onTerminal = async (command: string) => {
    const child = endedAfterwards(
      spawn('script', ['-qefc', command, '/dev/null'], {
        env: { ...process.env, ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    )
    return (await outcomeOf(child)).out
  }
  assert.match(await onTerminal(`${docket} --out '${join(PROJECT, 'again.csv')}'`), /MB\/s/)
  const piped = await onTerminal(`${docket} | head -n 2`)
  assert.match(piped, /^id,name/m)
  assert.doesNotMatch(piped, /MB\/s/)
})
