/** What `docket doctor` says of the public address, by what answers there. */
import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { loadConfig } from '../../../src/config/load-config.ts'
import { runChecks } from '../../../src/diagnosis/check.ts'
import { judgeFailure, publicAddressChecks } from '../../../src/diagnosis/public-address-checks.ts'

/** What the checks find with some settings: level, value and advice by the name of the check. */
const find = async (environment: Record<string, string>) => {
  const findings = await runChecks(publicAddressChecks, { config: loadConfig(environment) })
  return new Map(
    findings.map(({ check, level, value, advice }) => [check, { level, value, advice }]),
  )
}

/** What is found of an address where `answer` answers. */
const findAt = async (answer: RequestListener) => {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const PUBLIC_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    return (await find({ PUBLIC_URL })).get('public address')
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

describe('the public address', () => {
  test('is not known without PUBLIC_URL', async () => {
    assert.equal((await find({})).get('public address')?.level, 'unknown')
  })

  test('is right where a service answers', async () => {
    const found = await findAt(({ url }, answer) =>
      answer.end(url === '/api/health/live' ? '{"status":"live"}' : ''),
    )
    assert.equal(found?.level, 'ok')
    assert.equal(found?.advice, undefined)
  })

  const wrong: readonly [string, RequestListener, RegExp][] = [
    ['another program answers', (_, answer) => answer.end('Welcome'), /answers 200, and not as/],
    ['the proxy finds no service', (_, answer) => answer.writeHead(502).end(), /answers 502, and/],
    [
      'the proxy leads elsewhere',
      (_, answer) => answer.writeHead(308, { Location: 'https://shop.example.com/' }).end(),
      /^redirects to https:\/\/shop\.example\.com\/$/,
    ],
  ]
  for (const [name, answer, value] of wrong)
    test(`is wrong where ${name}`, async () => {
      const found = await findAt(answer)
      assert.equal(found?.level, 'fail')
      assert.match(found?.value ?? '', value)
      assert.match(found?.advice ?? '', /PUBLIC_URL|HOST and PORT/)
    })

  test('may be wrong where nothing answers', async () => {
    const found = (await find({ PUBLIC_URL: 'http://127.0.0.1:9' })).get('public address')
    assert.equal(found?.level, 'warn')
    assert.match(found?.value ?? '', /^does not answer here \(.+\)$/)
  })

  // The codes of Node.js (tls, "X509 certificate error codes").
  const certificates = [
    ['CERT_HAS_EXPIRED', 'fail', /renew/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'fail', /for the name in PUBLIC_URL/],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'warn', /NODE_EXTRA_CA_CERTS/],
  ] as const
  for (const [code, level, advice] of certificates)
    test(`is judged by its certificate: ${code}`, () => {
      const found = judgeFailure(Object.assign(new TypeError('fetch failed'), { cause: { code } }))
      assert.equal(found.level, level)
      assert.ok(found.value.includes(code), found.value)
      assert.match(found.advice ?? '', advice)
    })
})

describe('the proxy', () => {
  const PUBLIC_URL = 'https://127.0.0.1:9'
  const levels = [
    ['none without TLS', {}, 'ok'],
    ['not trusted', { PUBLIC_URL }, 'warn'],
    ['trusted', { PUBLIC_URL, TRUST_PROXY: '127.0.0.1' }, 'ok'],
  ] as const
  for (const [name, environment, level] of levels)
    test(`is ${name}`, async () => {
      assert.equal((await find(environment)).get('proxy')?.level, level)
    })
})
