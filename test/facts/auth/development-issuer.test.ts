/** The development issuer: its key is stored, private, and valid on this machine only. */
import assert from 'node:assert/strict'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, test } from 'node:test'
import { decodeJwt } from 'jose'
import { isLoopback, openDevelopmentIssuer } from '../../../src/auth/tokens/development-issuer.ts'
import { createVerifyToken } from '../../../src/auth/tokens/verify-token.ts'
import { StartupError } from '../../../src/errors.ts'
import { assertRefused } from '../../support/auth/assert-refused.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

let project: string
beforeEach(() => {
  project = temporaryFolder()
})

const keyFile = () => join(project, '.docket', 'development-issuer.json')

test('its tokens are accepted for 30 days, also after a restart', async () => {
  const first = await openDevelopmentIssuer(project)
  const token = await first.signToken('anna@example.com')
  const second = await openDevelopmentIssuer(project)
  for (const issuer of [first, second])
    assert.equal((await createVerifyToken(issuer)(token)).subject, 'anna@example.com')
  const { exp = 0, iat = 0 } = decodeJwt(token)
  assert.equal(exp - iat, 30 * 24 * 3600)
})

test('a token of another project is rejected', async () => {
  const token = await (await openDevelopmentIssuer(project)).signToken('anna')
  const other = await openDevelopmentIssuer(temporaryFolder())
  await assertRefused(createVerifyToken(other)(token), /does not publish/, token)
})

test('ten simultaneous starts create one key', async () => {
  const issuers = await Promise.all(
    Array.from({ length: 10 }, () => openDevelopmentIssuer(project)),
  )
  const tokens = await Promise.all(issuers.map((issuer) => issuer.signToken('anna')))
  const last = await openDevelopmentIssuer(project)
  const verify = createVerifyToken(last)
  assert.equal((await Promise.all(tokens.map((token) => verify(token)))).length, 10)
  assert.deepEqual(await readdir(join(project, '.docket')), ['development-issuer.json'])
})

test('only the owner can read the key file; one that is broken stops the start and is not changed', async () => {
  await openDevelopmentIssuer(project)
  assert.equal((await stat(keyFile())).mode & 0o777, 0o600)
  await writeFile(keyFile(), '{"kty":')
  await assert.rejects(openDevelopmentIssuer(project), StartupError)
  assert.equal(await readFile(keyFile(), 'utf8'), '{"kty":')
})

test('loopback addresses are those of this machine alone', () => {
  for (const host of ['127.0.0.1', '127.8.9.10', '::1', '0:0:0:0:0:0:0:1', 'LocalHost'])
    assert.ok(isLoopback(host), host)
  for (const host of ['0.0.0.0', '::', '10.0.0.1', '128.0.0.1', '127.0.0.1.nip.io', ''])
    assert.ok(!isLoopback(host), host)
})
