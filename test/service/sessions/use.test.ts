/** What counts as use of a session: a request once, however long it lasts. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fastify from 'fastify'
import { createCallerCache } from '../../../src/auth/callers/caller-cache.ts'
import { createSessions } from '../../../src/auth/sessions/sessions.ts'
import { createPool } from '../../../src/database/pool.ts'
import { startProject } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'
import { openBrowser, signedIn } from '../../support/sessions/a-browser.ts'

let service: TestService
before(async () => {
  service = await startProject()
})

test('a stream that authenticates its request again does not use the session again', async () => {
  const { connectionString } = service.database
  const observe = () => undefined
  // One connection, on which statements run in order.
  const pool = createPool({ connectionString, size: 1, observe })
  let passedMs = 0
  const sessions = createSessions({
    ...{ config: service.config, pool, callers: createCallerCache(), observe },
    now: () => Date.now() + passedMs,
  })
  const age = () => pool.query(`UPDATE docket.session SET last_used_at = now() - interval '1 day'`)
  const isOld = async () => {
    const { rows } = await pool.query<{ old: boolean }>(
      `SELECT last_used_at < now() - interval '1 hour' AS old FROM docket.session`,
    )
    return rows[0]?.old
  }
  const server = fastify()
  server.get('/', async (request) => {
    const states = []
    await age()
    for (const passed of [0, 0, 120_000]) {
      passedMs += passed
      await sessions.authenticate(request)
      states.push(await isOld())
      await age()
    }
    return states
  })
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  const browser = openBrowser({ url })
  const signed = await signedIn(service)
  for (const jar of signed.cookies.values()) browser.cookies.set(new URL(url).host, jar)
  assert.deepEqual((await browser.send('GET', '/')).json(), [false, true, true])
  passedMs += 120_000
  assert.deepEqual((await browser.send('GET', '/')).json(), [false, true, true])
  await server.close()
  await pool.end()
})
