/** Webhooks are sent to public addresses only. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPublicAddress } from '../../../src/outbox/channels/post-webhook.ts'

test('addresses of the internet are public', () => {
  for (const one of ['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001::1'])
    assert.equal(isPublicAddress(one), true, one)
})

test('addresses of machines, networks, groups and translations are not public', () => {
  for (const one of [
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '169.254.169.254', '172.16.0.1'],
    ...['192.168.1.1', '192.0.2.1', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
    ...['::', '::1', '::ffff:8.8.8.8', '::127.0.0.1', '64:ff9b::7f00:1', 'fe80::1', 'fd00::1'],
    ...['fec0::1', 'feff::1', '::ffff:0:7f00:1', '::ffff:0:a00:1'],
    ...['2001:db8::1', '2002:7f00:1::', 'ff02::1'],
  ])
    assert.equal(isPublicAddress(one), false, one)
})
