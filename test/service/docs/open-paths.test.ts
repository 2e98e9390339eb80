/** docs/roles.md lists every path that needs no token, and no other; some are open for one method only. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'

type Paths = Readonly<
  Record<string, Readonly<Record<string, { readonly security?: readonly object[] }>>>
>

let service: TestService
before(async () => {
  const entity = { key: 'note', fields: [{ key: 'text', type: 'text' }] }
  service = await startTestService(await writeProject({ 'entities/note.json': entity }))
})
after(() => service.stop())

// They have their own key, or reveal nothing about records.
const open = [
  ...['/', '/api/attachments', '/api/docs', '/api/health/live', '/api/health/ready'],
  ...['/api/metrics', '/api/notifications/unsubscribe', '/api/tasks/calendar.ics'],
  '/console/-/config.json',
  // The last two exist only where browsers sign in at an issuer.
  ...['POST /console/-/session', '/console/-/login', '/console/-/callback'],
]

test('the documentation names exactly these paths', async () => {
  const text = await readFile(new URL('../../../docs/roles.md', import.meta.url), 'utf8')
  const [sentence = ''] = /^These paths need no token:[\s\S]*?Every other path/m.exec(text) ?? []
  const named = [...sentence.matchAll(/`((?:[A-Z]+ )?\/[^`]*)`/g)].map(([, path]) => path)
  assert.deepEqual(named.toSorted(), open.toSorted())
})

test('each path of the API requires a token, or is one of them', async () => {
  const { paths } = (await service.ask('GET', '/api/openapi.json')).json() as { paths: Paths }
  for (const [path, operations] of Object.entries(paths))
    for (const [method, { security }] of Object.entries(operations)) {
      const real = path.replaceAll(/\{[^}]*\}/g, '1')
      const reply = await service.ask(method.toUpperCase(), real, { as: null })
      const isOpen = [path, `${method.toUpperCase()} ${path}`].some((one) => open.includes(one))
      assert.equal(reply.status !== 401, isOpen, `${method} ${path}: ${reply.status}`)
      assert.equal(security?.length === 0, isOpen, `${method} ${path} in OpenAPI`)
    }
  for (const path of ['/', '/api/docs'])
    assert.equal((await service.ask('GET', path, { as: null })).status, 200)
})
