/** Times without an offset in definitions are read in the zone in which the service will read them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorsOfOrder, load } from './a-project.ts'

const timestamp = (settings: object) => ({
  fields: [{ key: 'at', type: 'timestamp', ...settings }],
})
const inZagreb = { 'docket.json': { timeZone: 'Europe/Zagreb' } }
const noTime = 'must be an existing time as YYYY-MM-DD HH:MM:SS or ISO 8601 with offset, not'

// The clocks of Zagreb leap from two to three.
const leapt = '2026-03-29 02:30:00'

for (const property of ['default', 'min', 'max'])
  test(`a ${property} that the project's clock leaps over is none`, async () => {
    const order = timestamp({ [property]: leapt })
    assert.deepEqual(await errorsOfOrder(order), [])
    assert.deepEqual(await errorsOfOrder(order, inZagreb), [
      `fields[0].${property} ${noTime} "${leapt}"`,
    ])
  })

test('ends of a range with and without an offset are compared in the zone', async () => {
  const order = timestamp({ min: '2026-05-04 10:00:00', max: '2026-05-04T09:00:00Z' })
  assert.deepEqual(await errorsOfOrder(order, inZagreb), [])
  assert.deepEqual(await errorsOfOrder(order), [
    'fields[0].min must not be above "max", which is 2026-05-04T09:00:00Z: no value would be valid',
  ])
})

test('a default is compared with its range in the zone', async () => {
  const order = timestamp({ default: '2026-05-04 10:00:00', max: '2026-05-04T09:00:00Z' })
  assert.deepEqual(await errorsOfOrder(order, inZagreb), [])
  assert.deepEqual(await errorsOfOrder(order), [
    'fields[0].default must be at most 2026-05-04T09:00:00.000Z',
  ])
})

test('a zone from outside wins over the one of the project', async () => {
  const files = {
    ...inZagreb,
    'entities/order.json': { key: 'order', ...timestamp({ default: leapt }) },
  }
  assert.equal((await load(files)).findings.length, 1)
  assert.deepEqual((await load(files, 'UTC')).findings, [])
})

test('a zone that is none is one fault, not one of every time', async () => {
  const order = timestamp({ default: '2026-05-04 10:00:00' })
  const [fault, ...more] = await errorsOfOrder(order, { 'docket.json': { timeZone: 'Zagreb' } })
  assert.match(fault ?? '', /"Zagreb" is not an IANA time zone/)
  assert.deepEqual(more, [])
})
