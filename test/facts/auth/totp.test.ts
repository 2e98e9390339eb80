/** Codes of authenticator apps, by the test values of their standards. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  appAddress,
  codeAt,
  createRecoveryCodes,
  digestOfCode,
  printBase32,
  readBase32,
  stepOf,
} from '../../../src/auth/second-factor/codes.ts'

const key = Buffer.from('12345678901234567890')

test('codes are those of RFC 6238, appendix B', () => {
  const values = [
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ] as const
  for (const [seconds, code] of values) assert.equal(codeAt(key, Math.floor(seconds / 30)), code)
})

test('clocks may differ by one step and not by two', () => {
  for (const difference of [-1, 0, 1])
    assert.equal(stepOf(key, codeAt(key, 1000), 1000 + difference), 1000)
  for (const difference of [-2, 2])
    assert.equal(stepOf(key, codeAt(key, 1000), 1000 + difference), undefined)
  assert.equal(stepOf(key, '12345', 1000), undefined)
})

test('keys are written in base 32 (RFC 4648) and read again', () => {
  assert.equal(printBase32(key), 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
  assert.deepEqual(Buffer.from(readBase32('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')), key)
})

test('the address for an app names the service and the account', () => {
  assert.equal(
    appAddress('ABCD', 'zoë@example.com', 'Shop & Co'),
    'otpauth://totp/Shop%20%26%20Co:zo%C3%AB%40example.com?secret=ABCD&issuer=Shop%20%26%20Co',
  )
})

test('recovery codes differ, and may be typed in any case, with or without their dashes', () => {
  const codes = createRecoveryCodes()
  assert.deepEqual([codes.length, new Set(codes).size], [10, 10])
  for (const code of codes) assert.match(code, /^([a-z2-7]{4}-){5}[a-z2-7]{4}$/)
  const [code = ''] = codes
  assert.equal(digestOfCode(` ${code.toUpperCase().replaceAll('-', ' ')} `), digestOfCode(code))
})
