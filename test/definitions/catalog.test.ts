/** Entities as the service uses them: columns in the order of the export, associations, indexes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createEntity,
  getEntity,
  indexesOf,
  systemFieldKeys,
  uniqueIndexes,
  writableColumns,
} from '../../src/definitions/catalog.ts'
import type { EntityDefinition } from '../../src/definitions/schemas/entity-definition.ts'

const order: EntityDefinition = {
  key: 'order',
  ownership: true,
  fields: [
    { key: 'number', type: 'string', unique: true, indexed: true },
    { key: 'parts', type: 'oneToMany', entity: 'part', mappedBy: 'order' },
    { key: 'supplier', type: 'manyToOne', entity: 'supplier' },
    { key: 'twin', type: 'manyToOne', entity: 'order', unique: true },
    { key: 'total', type: 'decimal', indexed: true },
    { key: 'extra', type: 'json' },
  ],
  indexes: [
    { fields: ['supplier', '_created_at'], unique: true },
    { fields: ['total'] },
    { fields: ['supplier_id'] },
  ],
  workflow: { initialStep: 'a', steps: [{ key: 'a', final: true }] },
}
const entity = createEntity(order, false)
const names = (columns: readonly { readonly name: string }[]) => columns.map(({ name }) => name)

test('columns: id, the declared fields in their order, the other system fields', () => {
  assert.deepEqual(names(entity.columns), [
    'id',
    'number',
    'supplier_id',
    'twin_id',
    'total',
    'extra',
    '_is_deleted',
    '_created_by',
    '_updated_by',
    '_created_at',
    '_updated_at',
    '_owned_by',
    '_step',
  ])
})

test('without ownership and workflow there is neither an owner nor a step', () => {
  const bare = createEntity({ key: 'bare', fields: [] }, false)
  assert.equal(bare.columns.length, 6)
  assert.deepEqual([bare.hasOwner, bare.hasWorkflow], [false, false])
  assert.deepEqual([entity.hasOwner, entity.hasWorkflow], [true, true])
})

test('callers may write the declared columns only', () => {
  assert.deepEqual(names(writableColumns(entity)), [
    'number',
    'supplier_id',
    'twin_id',
    'total',
    'extra',
  ])
})

test('associations go by their key, with the entity that they link to', () => {
  assert.deepEqual(
    [...entity.associations].map(([key, column]) => [key, column.name, column.target]),
    [
      ['supplier', 'supplier_id', 'supplier'],
      ['twin', 'twin_id', 'order'],
      ['_created_by', '_created_by', 'user'],
      ['_updated_by', '_updated_by', 'user'],
      ['_owned_by', '_owned_by', 'user'],
    ],
  )
  assert.deepEqual([...entity.oneToMany.keys()], ['parts'])
})

test('indexes: fields, many-to-one links and wishes, each once', () => {
  assert.deepEqual(indexesOf(entity), [
    { columns: ['number'], kind: 'unique' },
    { columns: ['supplier_id'], kind: 'order' },
    { columns: ['twin_id'], kind: 'unique' },
    { columns: ['total'], kind: 'order' },
    { columns: ['supplier_id', '_created_at'], kind: 'unique' },
    { columns: ['_step'], kind: 'order' },
  ])
  assert.deepEqual(
    uniqueIndexes(entity).map(({ columns }) => columns.join()),
    ['number', 'twin_id', 'supplier_id,_created_at'],
  )
})

test('the names that no field may have', () => {
  assert.deepEqual(systemFieldKeys, [
    'id',
    '_is_deleted',
    '_created_by',
    '_updated_by',
    '_created_at',
    '_updated_at',
    '_owned_by',
    '_step',
    'created_by',
    'updated_by',
    'owned_by',
  ])
})

test('an unknown entity is a 404 that suggests the one that was meant', () => {
  const catalog = { entities: new Map([['order', entity]]), roles: new Map() }
  assert.equal(getEntity(catalog, 'order'), entity)
  assert.throws(() => getEntity(catalog, 'ordre'), {
    code: 'entity.unknown',
    message: 'There is no entity "ordre"; did you mean "order"?',
  })
  assert.throws(() => getEntity(catalog, '__proto__'), {
    message: 'There is no entity "__proto__".',
  })
})
