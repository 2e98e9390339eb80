/** Which columns a list, a card and a queue show of an entity before anybody chose. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Entity } from '../../../console/api/types.ts'
import { columnsAt, type Entities } from '../../../console/features/list/columns.ts'
import { cardColumns } from '../../../console/features/list/grid-layout.ts'
import { defaultPaths, mainColumns } from '../../../console/features/list/main-columns.ts'
import { describeProject } from '../../components/support/describe-project.ts'

const many = Array.from({ length: 12 }, (_, at) => ({ key: `note_${at}`, type: 'string' }))
const project = {
  'entities/order.json': {
    key: 'order',
    displayField: 'number',
    fields: [
      { key: 'placed_on', type: 'date' },
      { key: 'number', type: 'string', required: true, unique: true },
      { key: 'code', type: 'string', pattern: '[A-Z]+' },
      { key: 'title', type: 'string' },
      { key: 'lines', type: 'oneToMany', entity: 'line', mappedBy: 'order' },
      { key: 'net', type: 'decimal', precision: 14, scale: 2, rollup: { sum: 'lines.amount' } },
    ],
  },
  'entities/line.json': {
    key: 'line',
    displayField: 'position',
    fields: [
      { key: 'position', type: 'string' },
      { key: 'unit_price', type: 'decimal', precision: 14, scale: 2, unit: 'EUR' },
      { key: 'amount', type: 'decimal', precision: 14, scale: 2, unit: 'EUR' },
      ...many,
      { key: 'order', type: 'manyToOne', entity: 'order' },
    ],
  },
}

let entities: Entities
const entity = (key: string): Entity => {
  const found = entities.get(key)
  assert.ok(found)
  return found
}
before(async () => {
  const described = (await describeProject(project, {})).entities as readonly Entity[]
  entities = new Map(described.map((one) => [one.key, one]))
})

test('what names a record comes first, then the columns of the definition in their order', () => {
  assert.deepEqual(defaultPaths(entity('order'), entities).slice(0, 5), [
    ...['number', 'placed_on', 'code', 'title', 'net'],
  ])
})

test('of many columns the main facts are shown too, each in its place', () => {
  const paths = defaultPaths(entity('line'), entities)
  assert.equal(paths.length, 12)
  assert.deepEqual(
    [...paths.slice(0, 4), paths.at(-1)],
    ['position', 'unit_price', 'amount', 'note_0', 'order.number'],
  )
})

test('the amount of a part is what the records above it add up', () => {
  assert.equal(mainColumns(entity('line'), entities).amount?.path, 'amount')
})

test('a card shows the title, which is no code', () => {
  const order = entity('order')
  const columns = columnsAt(defaultPaths(order, entities), order, entities)
  const paths = cardColumns(columns, mainColumns(order, entities)).map(({ path }) => path)
  assert.deepEqual(paths, ['number', 'title', 'placed_on', 'code'])
})
