/** Times without an offset in definitions are read in the time zone of the service. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorsOfOrder, load } from '../../support/definitions/a-project.ts'

const timestamp = (settings: object) => ({
  fields: [{ key: 'at', type: 'timestamp', ...settings }],
})
const inZagreb = { 'docket.json': { timeZone: 'Europe/Zagreb' } }
const notTime = 'must be an existing time as YYYY-MM-DD HH:MM:SS or ISO 8601 with offset, not'

// This hour does not exist in Zagreb: summer time begins at two.
const skippedTime = '2026-03-29 02:30:00'

for (const property of ['default', 'min', 'max'])
  test(`a ${property} that does not exist in the time zone of the project is an error`, async () => {
    const order = timestamp({ [property]: skippedTime })
    assert.deepEqual(await errorsOfOrder(order), [])
    assert.deepEqual(await errorsOfOrder(order, inZagreb), [
      `fields[0].${property} ${notTime} "${skippedTime}"`,
    ])
  })

test('minimum and maximum with and without an offset are compared in the time zone', async () => {
  const order = timestamp({ min: '2026-05-04 10:00:00', max: '2026-05-04T09:00:00Z' })
  assert.deepEqual(await errorsOfOrder(order, inZagreb), [])
  assert.deepEqual(await errorsOfOrder(order), [
    'fields[0].min must not be above "max", which is 2026-05-04T09:00:00Z: no value would be valid',
  ])
})

test('a default is compared with minimum and maximum in the time zone', async () => {
  const order = timestamp({ default: '2026-05-04 10:00:00', max: '2026-05-04T09:00:00Z' })
  assert.deepEqual(await errorsOfOrder(order, inZagreb), [])
  assert.deepEqual(await errorsOfOrder(order), [
    'fields[0].default must be at most 2026-05-04T09:00:00.000Z',
  ])
})

test('the timeZone argument of loadProject overrides the time zone of the project', async () => {
  const files = {
    ...inZagreb,
    'entities/order.json': { key: 'order', ...timestamp({ default: skippedTime }) },
  }
  assert.equal((await load(files)).findings.length, 1)
  assert.deepEqual((await load(files, 'UTC')).findings, [])
})

test('an invalid time zone is a single finding, not one for every time', async () => {
  const order = timestamp({ default: '2026-05-04 10:00:00' })
  const [finding, ...more] = await errorsOfOrder(order, { 'docket.json': { timeZone: 'Zagreb' } })
  assert.match(finding ?? '', /"Zagreb" is not an IANA time zone/)
  assert.deepEqual(more, [])
})
