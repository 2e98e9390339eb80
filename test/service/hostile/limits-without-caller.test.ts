/** Limits for requests without a caller: invalid paths and tokens of the metrics. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { startProject } from '../../support/a-project.ts'
import { sendRaw } from '../../support/hostile/raw-http.ts'
import type { TestService } from '../../support/service.ts'

const services: TestService[] = []
const start = async (environment: Readonly<Record<string, string>>): Promise<TestService> => {
  const service = await startProject(environment)
  services.push(service)
  return service
}
after(() => Promise.all(services.map((service) => service.stop())))

const paths = {
  'that is malformed': ['/%', 400],
  'with a segment that is longer than any name': [`/order/${'x'.repeat(300)}`, 404],
} as const

for (const [what, [path, status]] of Object.entries(paths))
  describe(`a path ${what}`, () => {
    const send = (url: string, host: string) =>
      sendRaw(url, { send: `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`, until: 'answered' })

    test('counts towards the limit of its address', async () => {
      const { url, ask } = await start({ REQUESTS_PER_ADDRESS: '10' })
      const statuses = []
      for (let times = 0; times < 15; times++) statuses.push((await send(url, 'localhost')).status)
      assert.deepEqual(statuses, [...Array(10).fill(status), ...Array(5).fill(429)])
      assert.equal((await ask('GET', '/api/health/live')).status, 429)
    })

    test('is answered only for an allowed host name', async () => {
      const { url } = await start({})
      const { text } = await send(url, 'example.com')
      assert.match(text, /^HTTP\/1\.1 421 /)
      assert.match(text, /"code":"request.misdirected"/)
      assert.match(text, /\r\nX-Request-Id: /i)
    })
  })

test('wrong tokens for the metrics count as wrong credentials, and the right token is always accepted', async () => {
  const token = 'a-token-of-metrics'
  const { ask } = await start({ METRICS_TOKEN: token, WRONG_CREDENTIALS_PER_ADDRESS: '10' })
  const statusWith = async (path: string, value: string) => {
    const headers = { Authorization: `Bearer ${value}` }
    return (await ask('GET', path, { as: null, headers })).status
  }
  const statuses = []
  for (let times = 0; times < 15; times++)
    statuses.push(await statusWith('/api/metrics', `${token}${times}`))
  assert.deepEqual(statuses, [...Array(10).fill(401), ...Array(5).fill(429)])
  assert.equal(await statusWith('/order', 'docket_wrong'), 429)
  assert.equal(await statusWith('/api/metrics', token), 200)
  assert.equal((await ask('GET', '/api/metrics', { as: null })).status, 401)
})
