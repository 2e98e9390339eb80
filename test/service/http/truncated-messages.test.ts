/** Values of the request are truncated in messages and end with `…`, between two characters. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { createOrder, sharedProject } from '../../support/a-project.ts'
import type { AskOptions, TestService } from '../../support/service.ts'

let service: TestService
before(async () => {
  service = await sharedProject()
  await createOrder(service)
})

const long = 'x'.repeat(150)
const digits = '9'.repeat(150)
const longest = 'x'.repeat(300)
const header = (name: string, value: string): AskOptions => ({ headers: { [name]: value } })
const body = {}

const rows: readonly [string, number, string, string, AskOptions?][] = [
  ['a path', 404, 'GET', `/api/${longest}/${longest}`],
  ['an entity', 404, 'GET', `/${long}`],
  ['the id of a record', 404, 'GET', `/order/${digits}`],
  ['the id of a task', 404, 'PUT', `/order/1/${digits}`, { body: { is_completed: true } }],
  ['the id of a delivery', 404, 'GET', `/api/deliveries/${digits}`],
  ['a parameter', 400, 'GET', `/order?limit=${long}`],
  ['a parameter of pictures', 400, 'GET', `/order?limit=x${encodeURIComponent('😀'.repeat(60))}`],
  ['an encoding', 415, 'POST', '/order', { body, ...header('Content-Encoding', long) }],
  [
    'a character set',
    415,
    'POST',
    '/order',
    { body, ...header('Content-Type', `application/json; charset=${long}`) },
  ],
  ['a media type', 406, 'POST', '/order/export', header('Accept', `a/${longest}`)],
  ['a value', 400, 'POST', '/order', { body: { number: 'AB-1', needed_by: long } }],
  ['a number', 400, 'POST', '/order', { body: `{"rate":1.${'0'.repeat(100)}1}` }],
]

describe('long values of a request are truncated in the message', () => {
  for (const [what, status, method, path, options] of rows)
    test(`${what} ends with …`, async () => {
      const reply = await service.ask(method, path, options)
      assert.equal(reply.status, status, reply.text)
      const { detail, errors = [] } = reply.json()
      const messages = [detail, ...errors.map(({ message }: { message: string }) => message)].join(
        '\n',
      )
      assert.match(messages, /…/)
      assert.doesNotMatch(messages, /x{210}/)
      assert.doesNotMatch(messages, /\\ud[89a-f]|\uFFFD/i)
    })
})
