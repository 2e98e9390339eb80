/** Credentials that were valid before do not count as guesses: when they are remembered, and when no longer. */
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { createApiKey, revokeApiKey } from '../../../src/auth/callers/api-keys.ts'
import { createCallerCache } from '../../../src/auth/callers/caller-cache.ts'
import { createAuthenticate } from '../../../src/auth/callers/find-callers.ts'
import { createRemoteKeySource } from '../../../src/auth/tokens/remote-key-source.ts'
import { createVerifyToken } from '../../../src/auth/tokens/verify-token.ts'
import { createPool } from '../../../src/database/pool.ts'
import { RequestContext, runInRequest } from '../../../src/database/request-context.ts'
import { audience, inSeconds, startIssuer } from '../../support/auth/an-issuer.ts'
import { assertRefused } from '../../support/auth/assert-refused.ts'
import { until } from '../../support/wait.ts'
import { shareTestProject } from './an-authenticator.ts'

const project = await shareTestProject()
const issuer = await startIssuer([])
const userId = await project.addUser('guessing')
after(() => issuer.close())

let passedMs = 0
const now = () => Date.now() + passedMs
beforeEach(() => {
  passedMs = 0
})
/** A token of the user that expires in so many seconds. */
const sign = (seconds: number) => issuer.sign({ sub: 'guessing', exp: inSeconds(seconds) })

/** An authenticator without a cache of callers, which counts the guesses. */
const openAuthenticator = ({ pool } = project) => {
  let guesses = 0
  const keys = createRemoteKeySource({ issuer: issuer.url, now })
  const verifyToken = createVerifyToken({ keys, audience, now })
  const callers = createCallerCache()
  const authenticate = createAuthenticate({
    ...project,
    pool,
    callers,
    verifyToken,
    provisionRole: undefined,
  })
  return {
    guesses: () => guesses,
    ask: (credential: string) =>
      authenticate(`Bearer ${credential}`, async () => {
        guesses += 1
      }),
  }
}

test('an expired token counts as a guess from its next use on', async () => {
  const { ask, guesses } = openAuthenticator()
  const token = await sign(60)
  for (let times = 0; times < 3; times++) await ask(token)
  assert.equal(guesses(), 1)
  passedMs = 66_000
  await assertRefused(ask(token), /has expired/)
  assert.equal(guesses(), 1)
  await assertRefused(ask(token), /has expired/)
  assert.equal(guesses(), 2)
})

test('a token is no guess while the issuer is unavailable, and is one after its key was withdrawn', async () => {
  const { ask, guesses } = openAuthenticator()
  const token = await sign(7_200)
  await ask(token)
  await issuer.rotateKey()
  passedMs = 6_000
  await ask(await sign(7_200))
  assert.equal(guesses(), 2)
  // It is verified again, with keys that do not include its own.
  passedMs = 1_200_000
  issuer.stop()
  for (let times = 0; times < 3; times++)
    await assert.rejects(ask(token), { code: 'issuer.unavailable' })
  assert.equal(guesses(), 2)
  issuer.start()
  passedMs = 1_260_000
  await assertRefused(ask(token), /does not publish/)
  assert.equal(guesses(), 2)
  await assertRefused(ask(token), /does not publish/)
  assert.equal(guesses(), 3)
})

test('a revoked key counts as a guess from its next use on', async () => {
  const { ask, guesses } = openAuthenticator()
  const { id, key } = await createApiKey(project.pool, { userId, name: 'test' })
  for (let times = 0; times < 3; times++) await ask(key)
  assert.equal(guesses(), 1)
  await revokeApiKey(project.pool, id)
  await assertRefused(ask(key), /was revoked/)
  assert.equal(guesses(), 1)
  await assertRefused(ask(key), /was revoked/)
  assert.equal(guesses(), 2)
})

test('a key is no guess when its address has used up its connections', async () => {
  // One caller gets one of its connections, and waits briefly for it.
  const { connectionString, observe } = project
  const pool = createPool({ connectionString, observe, size: 2, waitMs: 500 })
  // On a busy machine opening one may take longer.
  await until('a connection is open', () =>
    pool.query('SELECT').then(
      () => true,
      () => false,
    ),
  )
  const { ask, guesses } = openAuthenticator({ ...project, pool })
  const { key } = await createApiKey(project.pool, { userId, name: 'test' })
  const options = { callerKey: 'address 192.0.2.1', isReadOnly: true, timeoutMs: 30_000 }
  await runInRequest(new RequestContext(options), async () => {
    await ask(key)
    const held = await pool.connect()
    await assert.rejects(ask(key), { code: 'request.saturated' }).finally(() => held.release())
    await ask(key)
  })
  assert.equal(guesses(), 1)
  await pool.end()
})
