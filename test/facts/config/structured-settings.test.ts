/** Settings with a structure of their own: proxies, the token of the metrics, webhooks. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from '../../../src/config/load-config.ts'
import { errorsOf } from './errors-of.ts'

test('proxies are addresses or networks, and a token of metrics has a minimum length', () => {
  const { TRUST_PROXY } = loadConfig({ TRUST_PROXY: '10.0.0.0/8, 192.168.1.1,fd00::/8' })
  for (const address of ['10.1.2.3', '192.168.1.1']) assert.ok(TRUST_PROXY?.check(address), address)
  assert.ok(TRUST_PROXY?.check('fd12::1', 'ipv6'))
  for (const address of ['11.0.0.1', '192.168.1.2']) assert.ok(!TRUST_PROXY?.check(address))
  for (const wrong of ['true', '1', '10.0.0.0/33', '10.0.0', '10.0.0.1,', 'fd00::/129', 'proxy'])
    assert.match(errorsOf({ TRUST_PROXY: wrong })[0] ?? '', /^TRUST_PROXY must be addresses/)
  const [error] = errorsOf({ METRICS_TOKEN: 'short' })
  assert.equal(error, 'METRICS_TOKEN must be 16 or more visible ASCII characters')
})

const secret = `whsec_${Buffer.alloc(24).toString('base64')}`

test('webhooks are pairs of a name and a URL, and of the name and a secret', () => {
  const { WEBHOOK_URLS: urls, WEBHOOK_SECRETS: secrets } = loadConfig({
    WEBHOOK_URLS: ' erp=https://erp.example.com/a?b=c,d=e  chat-2=http://10.0.0.1/ ',
    WEBHOOK_SECRETS: `erp=${secret}`,
  })
  assert.deepEqual(
    [...(urls ?? [])],
    [
      ['erp', 'https://erp.example.com/a?b=c,d=e'],
      ['chat-2', 'http://10.0.0.1/'],
    ],
  )
  assert.deepEqual([...(secrets ?? [])], [['erp', secret]])
})

test('an invalid pair is rejected, and neither address nor secret is shown', () => {
  const addresses = 'must be pairs such as name=https://erp.example.com/hooks'
  for (const wrong of [
    'https://x.example',
    'ERP=https://x.example',
    'a=ftp://x',
    'a=https://x a=https://y',
  ])
    assert.deepEqual(errorsOf({ WEBHOOK_URLS: wrong }), [
      `WEBHOOK_URLS ${addresses}, separated by blanks, each name once`,
    ])
  const short = `whsec_${Buffer.alloc(23).toString('base64')}`
  for (const wrong of ['erp=secret', `erp=${short}`, `${secret}`])
    assert.deepEqual(errorsOf({ WEBHOOK_SECRETS: wrong }), [
      'WEBHOOK_SECRETS must be pairs such as name=whsec_<24 to 64 bytes in base64>, separated by blanks, each name once',
    ])
})
