/** Who may read the OpenAPI document, and what the API page shows before it has it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { docsRoutes } from '../../src/api/docs-page.ts'
import { createEntity } from '../../src/definitions/catalog.ts'
import { fault } from '../../src/errors.ts'
import { createServer } from '../../src/http/server.ts'
import { audience, startIssuer } from '../auth/an-issuer.ts'
import { startTestService, writeProject } from '../support/service.ts'

const entity = createEntity({ key: 'patient', fields: [{ key: 'diagnosis', type: 'text' }] }, false)
const catalog = { entities: new Map([[entity.key, entity]]), roles: new Map() }
const parts = { catalog, basePath: '', projectName: 'Clinic' }
const observe = () => undefined
const serverWith = (options: Partial<Parameters<typeof docsRoutes>[0]> = {}) =>
  createServer({
    basePath: '',
    bodyLimit: 1000,
    observe,
    routes: [docsRoutes({ ...parts, ...options })],
  })

const onlyAnna: Parameters<typeof docsRoutes>[0]['authenticate'] = async ({ headers }) => {
  if (headers.authorization !== 'Bearer anna') throw fault('caller.unauthenticated', 'Who is it?')
}

test('without a door everybody reads the document', async () => {
  const server = serverWith()
  const { statusCode, body } = await server.inject('/api/openapi.json')
  assert.equal(statusCode, 200)
  assert.match(body, /diagnosis/)
  await server.close()
})

test('with a door a known caller reads it whole, and nobody else even by its tag', async () => {
  const server = serverWith({ authenticate: onlyAnna })
  const ask = (headers: Record<string, string>) =>
    server.inject({ url: '/api/openapi.json', headers })
  const known = await ask({ authorization: 'Bearer anna' })
  assert.equal(known.statusCode, 200)
  assert.match(known.body, /diagnosis/)
  const tag = { 'if-none-match': String(known.headers.etag) }
  assert.equal((await ask({ authorization: 'Bearer anna', ...tag })).statusCode, 304)
  for (const headers of [{}, tag, { authorization: 'Bearer boris' }]) {
    const { statusCode, body } = await ask(headers)
    assert.equal(statusCode, 401)
    assert.equal(JSON.parse(body).code, 'caller.unauthenticated')
    assert.doesNotMatch(body, /patient|diagnosis/)
  }
  await server.close()
})

test('the page is open, holds nothing of the document and has a field for the token', async () => {
  const server = serverWith({ authenticate: onlyAnna })
  for (const path of ['/api/docs', '/api/docs/start.js']) {
    const { statusCode, body } = await server.inject(path)
    assert.equal(statusCode, 200)
    assert.doesNotMatch(body, /patient|diagnosis/)
  }
  const { body } = await server.inject('/api/docs')
  assert.match(body, /<form id="ask" [^>]*hidden>/)
  assert.match(body, /Paste a token .*, or an API key\./)
  assert.match(body, /<label>Token <input id="token" type="password"/)
  await server.close()
})

test('with an issuer the service shows the document to known callers only', async (t) => {
  const issuer = await startIssuer(['admin@example.com'])
  t.after(() => issuer.stop())
  const service = await startTestService(await writeProject({}), {
    AUTH_ISSUER: issuer.url,
    AUTH_AUDIENCE: audience,
  })
  t.after(() => service.stop())
  const statusOf = async (headers: Record<string, string>) =>
    (await service.ask('GET', '/api/openapi.json', { as: null, headers })).status
  const token = await issuer.requestToken('admin@example.com')
  assert.equal(await statusOf({ Authorization: `Bearer ${token}` }), 200)
  assert.equal(await statusOf({}), 401)
  const page = await service.ask('GET', '/api/docs', { as: null })
  assert.equal(page.status, 200)
})

test('with the development issuer the service shows it to everybody', async (t) => {
  const service = await startTestService(await writeProject({}))
  t.after(() => service.stop())
  assert.equal((await service.ask('GET', '/api/openapi.json', { as: null })).status, 200)
})
