/** Who may read the OpenAPI document, and what the API page contains before it has loaded it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { createDocs } from '../../../src/api/docs-page.ts'
import { sections } from '../../../src/api/sections.ts'
import { docsEndpoints } from '../../../src/api/service-endpoints.ts'
import { withScope } from '../../../src/auth/caller.ts'
import { createPermissions } from '../../../src/auth/permissions.ts'
import { createEntity } from '../../../src/definitions/catalog.ts'
import { apiError } from '../../../src/errors.ts'
import type { AuthenticateRequest } from '../../../src/http/admit-requests.ts'
import { createServer } from '../../../src/http/server.ts'

const fields = [
  { key: 'diagnosis', type: 'text' },
  { key: 'ward', type: 'string' },
] as const
const patient = createEntity(
  { key: 'patient', displayField: 'diagnosis', fields: [...fields] },
  false,
)
// Every catalog has them.
const natives = ['user', 'task'].map((key) => createEntity({ key, fields: [] }, true))
const bill = createEntity({ key: 'bill', fields: [{ key: 'amount', type: 'integer' }] }, false)
const reader = {
  key: 'reader',
  permissions: { patient: { read: true, hiddenFields: ['diagnosis'] } },
}
const partly = {
  key: 'partly',
  permissions: {
    patient: { read: true, conditions: { read: { ward: 'north' } } },
    bill: { read: true },
  },
} as const
const catalog = {
  entities: new Map([...natives, patient, bill].map((entity) => [entity.key, entity])),
  roles: new Map([reader, partly].map((role) => [role.key, role])),
}
const permissions = createPermissions(catalog)
const serverOf = (basePath = '', projectName = 'Clinic') => {
  const docs = createDocs({ catalog, basePath, projectName, permissions, sections })
  return createServer({
    basePath,
    bodyLimit: 1000,
    observe: () => undefined,
    authenticate: authenticateKnown,
    mount: (scope) => {
      for (const endpoint of docsEndpoints) endpoint.mount(scope, { docs })
    },
  })
}

const roles: Readonly<Record<string, string>> = {
  anna: 'administrator',
  ben: 'reader',
  pia: 'partly',
  max: 'partly,reader',
  eve: 'nobody',
  kim: withScope('partly', 'bill:read'),
}
const authenticateKnown: AuthenticateRequest = async ({ headers }) => {
  const [, name = ''] = /^Bearer (.*)$/.exec(headers.authorization ?? '') ?? []
  const roleKey = roles[name]
  if (!roleKey) throw apiError('caller.unauthenticated', 'A token is required.')
  return { userId: 1, actingUser: null, roleKey, fullName: name, email: `${name}@example.com` }
}

test('callers read only what their role allows, others nothing, even with a matching ETag', async () => {
  const server = serverOf()
  const ask = (headers: Record<string, string>) =>
    server.inject({ url: '/api/openapi.json', headers })
  const [anna, ben, eve, kim] = await Promise.all(
    ['anna', 'ben', 'eve', 'kim'].map((name) => ask({ authorization: `Bearer ${name}` })),
  )
  assert.match(anna?.body ?? '', /diagnosis/)
  assert.match(anna?.body ?? '', /bill/)
  assert.match(ben?.body ?? '', /"ward"/)
  assert.doesNotMatch(ben?.body ?? '', /diagnosis|bill|amount/)
  // With an API key whose scope has the bills alone.
  assert.match(kim?.body ?? '', /bill/)
  assert.doesNotMatch(kim?.body ?? '', /patient|ward|diagnosis/)
  assert.doesNotMatch(eve?.body ?? '', /patient|ward|diagnosis|bill|amount/)
  const tag = { 'if-none-match': String(anna?.headers.etag) }
  assert.equal((await ask({ authorization: 'Bearer anna', ...tag })).statusCode, 304)
  assert.equal((await ask({ authorization: 'Bearer ben', ...tag })).statusCode, 200)
  for (const headers of [{}, tag, { authorization: 'Bearer boris' }]) {
    const { statusCode, body } = await ask(headers)
    assert.equal(statusCode, 401)
    assert.equal(JSON.parse(body).code, 'caller.unauthenticated')
    assert.doesNotMatch(body, /patient|diagnosis/)
  }
  await server.close()
})

test('the document says of which entities its reader reads some records alone', async () => {
  const server = serverOf()
  const partial = async (name: string) => {
    const headers = { authorization: `Bearer ${name}` }
    const { body } = await server.inject({ url: '/api/openapi.json', headers })
    const { tags } = JSON.parse(body) as { tags: { name: string; description: string }[] }
    const found = tags.filter(({ description }) => /count as missing/.test(description))
    return found.map((tag) => tag.name)
  }
  for (const [name, ...entities] of [['anna'], ['ben'], ['max'], ['pia', 'patient']])
    assert.deepEqual(await partial(name ?? ''), entities)
  await server.close()
})

test('the page needs no token, contains nothing of the document and has a field for the token', async () => {
  const server = serverOf()
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

test('a file of the page is compressed once: repeated requests get the same bytes with Content-Length', async () => {
  const server = serverOf()
  const ask = (encoding: string) =>
    server.inject({
      url: '/api/docs/swagger-ui-bundle.js',
      headers: { 'accept-encoding': encoding },
    })
  const plain = (await ask('identity')).rawPayload
  for (const [encoding, decode] of [
    ['gzip', gunzipSync],
    ['zstd', zstdDecompressSync],
  ] as const) {
    const answers = await Promise.all([ask(encoding), ask(encoding), ask(encoding)])
    for (const { headers, rawPayload } of answers) {
      assert.equal(headers['content-encoding'], encoding)
      assert.equal(headers['content-length'], String(rawPayload.length))
      assert.ok(decode(rawPayload).equals(plain))
    }
  }
})

test('the page loads resources only from this service, at any base path, with and without a trailing slash', async () => {
  const server = serverOf('/docket', 'Fish & <Chips>')
  const page = await server.inject('/docket/api/docs')
  assert.equal((await server.inject('/docket/api/docs/')).body, page.body)
  assert.match(page.body, /<title>Fish &#38; &#60;Chips&#62; API<\/title>/)
  assert.match(String(page.headers['content-security-policy']), /^default-src 'none'; /)
  const links = [...page.body.matchAll(/(?:src|href|data-url)="([^"]+)"/g)]
  assert.equal(links.length, 5)
  for (const [, link = ''] of links) {
    assert.match(link, /^\/docket\/api\//)
    const authorization = 'Bearer anna'
    const answer = await server.inject({ url: link, headers: { authorization } })
    assert.equal(answer.statusCode, 200, link)
    const headers = { authorization, 'if-none-match': String(answer.headers.etag) }
    assert.equal((await server.inject({ url: link, headers })).statusCode, 304, link)
  }
  assert.match((await server.inject('/docket/api/docs/start.js')).body, /validatorUrl: null/)
  await server.close()
})
