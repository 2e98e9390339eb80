/** How often the keys of the issuer are requested. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { createRemoteKeySource } from '../../../src/auth/tokens/remote-key-source.ts'
import type { IssuerKeys } from '../../../src/auth/tokens/verify-token.ts'

let issuer: string
let isAway = false
let asked = 0
const server = createServer((request, response) => {
  if (request.url !== '/keys') asked++
  const answer = request.url === '/keys' ? { keys: [] } : { issuer, jwks_uri: `${issuer}/keys` }
  response.writeHead(isAway ? 500 : 200).end(JSON.stringify(answer))
})
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
beforeEach(() => {
  isAway = false
  asked = 0
})
after(() => {
  server.close()
  server.closeAllConnections()
})

const sourceAt = (clock: { ms: number }) => createRemoteKeySource({ issuer, now: () => clock.ms })

test('no keys are requested before the first token, and once for many simultaneous tokens', async () => {
  const source = sourceAt({ ms: 1e12 })
  assert.equal(asked, 0)
  await Promise.all(Array.from({ length: 10 }, source.current))
  await source.current()
  assert.equal(asked, 1)
})

test('an unavailable issuer is requested at most every two seconds', async () => {
  isAway = true
  const clock = { ms: 1e12 }
  const source = sourceAt(clock)
  for (let round = 0; round < 5; round++) await assert.rejects(source.current())
  assert.equal(asked, 1)
  clock.ms += 2_000
  await assert.rejects(source.current())
  assert.equal(asked, 2)
})

test('tokens with unknown keys cause a request at most every five seconds', async () => {
  const clock = { ms: 1e12 }
  const source = sourceAt(clock)
  const tried = await source.current()
  assert.equal(await source.newerThan(tried), undefined)
  clock.ms += 5_000
  const newer = (await source.newerThan(tried)) as IssuerKeys
  assert.notEqual(newer, tried)
  assert.equal(await source.newerThan(newer), undefined)
  assert.equal(asked, 2)
})

test('a caller that tried the old keys gets those that another request has fetched meanwhile', async () => {
  const clock = { ms: 1e12 }
  const source = sourceAt(clock)
  const tried = await source.current()
  clock.ms += 5_000
  const newer = await source.newerThan(tried)
  assert.equal(await source.newerThan(tried), newer)
  assert.equal(asked, 2)
})

test('an unknown key while the issuer is unavailable is not an error of the token', async () => {
  const clock = { ms: 1e12 }
  const source = sourceAt(clock)
  const tried = await source.current()
  isAway = true
  clock.ms += 5_000
  for (let round = 0; round < 2; round++)
    await assert.rejects(source.newerThan(tried), { code: 'issuer.unavailable' })
  assert.equal(asked, 2)
})
