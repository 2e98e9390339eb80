/** A service that other machines reach without an issuer accepts API keys only. */
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { createTestDatabase } from '../../support/database.ts'
import {
  outcomeOf,
  ownName,
  runDocket,
  spawnDocket,
  tokenOf,
  waitFor,
} from '../../support/docket.ts'
import { writeProject } from '../../support/service.ts'

const files = { 'entities/note.json': { key: 'note', fields: [{ key: 'text', type: 'text' }] } }

test('start --host 0.0.0.0 prints this, accepts a key from another address and rejects tokens', async (t) => {
  const database = await createTestDatabase()
  const project = await writeProject(files)
  const environment = { DATABASE_URL: database.connectionString, PROJECT: project }
  const child = spawnDocket(['start', '--host', '0.0.0.0', '--port', '0'], environment)
  const outcome = outcomeOf(child)
  t.after(async () => {
    child.kill('SIGTERM')
    await outcome
    await database.drop()
    await rm(project, { recursive: true, force: true, maxRetries: 10 })
  })
  const shown = await waitFor(child, new RegExp(`${ownName} api-key create`))
  assert.match(shown, /it accepts only API keys/)
  const port = /is up at http:\/\/0\.0\.0\.0:(\d+)/.exec(shown)?.[1]
  const args = ['api-key', 'create', '--user', 'admin@example.com', '--name', 'test']
  const { out } = await runDocket(args, environment)
  const key = /docket_\S+/.exec(out)?.[0] ?? ''
  const token = await tokenOf(project, environment)
  // The name in the request does not matter: nothing here depends on being this machine.
  const base = `http://${otherAddress()}:${port}`
  const ask = async (path: string, credential?: string) => {
    const headers: Record<string, string> =
      credential === undefined ? {} : { Authorization: `Bearer ${credential}` }
    return (await fetch(`${base}${path}`, { headers })).status
  }
  assert.equal(await ask('/note', key), 200)
  assert.equal(await ask('/note', token), 401)
  assert.equal(await ask('/note'), 401)
  assert.equal(await ask('/api/metrics'), 401)
  assert.equal(await ask('/api/metrics', key), 200)
  assert.equal(await ask('/api/openapi.json'), 401)
  assert.equal(await ask('/api/docs'), 200)
})

/** A non-loopback address of this machine, if it has one. */
const otherAddress = (): string =>
  Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1'
