/** `/`: the way to the console for browsers, JSON for programs. Also what the log contains about requests. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createOrder, startProject } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

for (const basePath of ['', '/docket'])
  describe(`GET ${basePath}/`, () => {
    let service: TestService
    before(async () => {
      service = await startProject({ BASE_PATH: basePath })
    })
    after(() => service.stop())
    // The document itself requires an authenticated caller.
    const statusOf = async (link: string) => {
      const headers = { Authorization: `Bearer ${await service.tokenOf()}` }
      return (await fetch(`${service.url}${link}`, { headers })).status
    }
    const get = (accept: string) =>
      service.ask('GET', '/', { as: null, headers: { Accept: accept } })

    test('leads browsers to the console', async () => {
      const open = (method: string, path: string) =>
        fetch(`${service.url}${path}`, {
          ...{ method, redirect: 'manual' },
          headers: { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' },
        })
      // The base path is one path, with or without its slash.
      for (const method of ['GET', 'HEAD'])
        for (const path of [basePath, `${basePath}/`]) {
          const { status, headers } = await open(method, path)
          assert.equal(status, 303)
          assert.equal(headers.get('location'), `${basePath}/console/`)
          assert.equal(headers.get('vary'), 'Accept, Authorization, Cookie')
        }
      const page = await open('GET', `${basePath}/console/`)
      assert.equal(page.status, 200)
      assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
    })

    test('returns JSON otherwise, with paths that exist', async () => {
      // The first connection for it may not be open yet.
      const { health } = (await get('*/*')).json()
      await until('the service is ready', async () => (await statusOf(health)) === 200)
      const ofPrograms = [
        ...['*/*', 'application/json', 'text/html;q=0, application/json', 'text/html;q=0'],
        ...['application/json, text/html', 'application/json, text/html;q=0.9, */*;q=0.8'],
      ]
      for (const accept of ofPrograms) {
        const { status, headers, json } = await get(accept)
        assert.equal(status, 200)
        assert.equal(headers.get('vary'), 'Accept, Authorization, Cookie')
        const { name, service: version, ...links } = json()
        assert.equal(name, 'Records under test')
        assert.match(version, /^docket /)
        assert.deepEqual(Object.keys(links), ['console', 'docs', 'openapi', 'entities', 'health'])
        for (const link of Object.values<string>(links))
          assert.equal(await statusOf(link), 200, link)
      }
    })
  })

describe('query parameters and the log', () => {
  let service: TestService
  before(async () => {
    service = await startProject()
  })
  after(() => service.stop())

  test('a list may be given in several parameters, a single value may not', async () => {
    const { id } = await createOrder(service)
    const several = await service.ask('GET', `/order/${id}?include=supplier&include=_created_by`)
    const one = await service.ask('GET', `/order/${id}?include=supplier,_created_by`)
    assert.equal(several.status, 200)
    assert.deepEqual(several.json(), one.json())
    const sorted = await service.ask('GET', '/order?sort=-number&sort=id&include=supplier')
    assert.equal(sorted.status, 200)
    assert.equal((await service.ask('GET', '/order?include=supplier&include=')).status, 400)
    assert.equal((await service.ask('GET', '/order?limit=1&limit=2')).status, 400)
  })

  test('a rejected request is logged with its entity and code, and with no other name', async () => {
    await service.ask('POST', '/order/search', { body: { $where: { nothing: 1 } } })
    await service.ask('POST', '/order/export?limit=x')
    await service.ask('GET', '/Not%0aa%20name')
    const logged = service.observations.flatMap((one) =>
      one.kind === 'requestAnswered' ? [{ entity: one.entity, code: one.code }] : [],
    )
    assert.deepEqual(logged.slice(-3), [
      { entity: 'order', code: 'criteria.invalid' },
      { entity: 'order', code: 'request.invalid' },
      { entity: undefined, code: 'entity.unknown' },
    ])
  })
})
