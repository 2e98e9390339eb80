/** Settings that need each other. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorsOf } from './errors-of.ts'

test('a direct address needs the address of the pooler', () => {
  const url = 'postgres://localhost/docket'
  assert.deepEqual(errorsOf({ DATABASE_DIRECT_URL: url }), [
    'DATABASE_DIRECT_URL is the database behind the pooler of DATABASE_URL, which is not set',
  ])
  assert.deepEqual(errorsOf({ DATABASE_DIRECT_URL: url, DATABASE_URL: url }), [])
})

test('an issuer needs an audience', () => {
  const AUTH_ISSUER = 'https://issuer.example'
  assert.deepEqual(errorsOf({ AUTH_ISSUER }), ['AUTH_AUDIENCE is needed with AUTH_ISSUER'])
  assert.deepEqual(errorsOf({ AUTH_ISSUER, AUTH_AUDIENCE: 'docket' }), [])
  assert.deepEqual(errorsOf({ AUTH_CLIENT_ID: 'console', AUTH_CLIENT_SECRET: 'x' }), [
    'AUTH_CLIENT_ID is a client of AUTH_ISSUER, which is not set',
  ])
  assert.deepEqual(errorsOf({ AUTH_CLIENT_SECRET: 'x' }), [
    'AUTH_CLIENT_SECRET is the secret of AUTH_CLIENT_ID, which is not set',
  ])
  assert.deepEqual(errorsOf({ AUTH_ISSUER: 'issuer', AUTH_AUDIENCE: 'docket' }), [
    'AUTH_ISSUER must be a URL beginning with https:// or http://; it is "issuer"',
  ])
})
