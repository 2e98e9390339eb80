/** Entities as the service uses them: columns in export order, associations and indexes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createEntity,
  getEntity,
  indexesOf,
  systemFieldKeys,
  uniqueIndexes,
  writableColumns,
} from '../../../src/definitions/catalog.ts'
import type { EntityDefinition } from '../../../src/definitions/schemas/entity-definition.ts'

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

test('the columns are id, the declared fields in order, and the other system fields', () => {
  assert.deepEqual(names(entity.columns), [
    ...['id', 'number', 'supplier_id', 'twin_id', 'total', 'extra', '_is_deleted', '_created_by'],
    ...['_updated_by', '_created_at', '_updated_at', '_owned_by', '_step'],
  ])
})

test('an entity without ownership and workflow has neither _owned_by nor _step', () => {
  const bare = createEntity({ key: 'bare', fields: [] }, false)
  assert.equal(bare.columns.length, 6)
  assert.deepEqual([bare.hasOwner, bare.hasWorkflow], [false, false])
  assert.deepEqual([entity.hasOwner, entity.hasWorkflow], [true, true])
})

test('the writable columns are the declared ones', () => {
  assert.deepEqual(names(writableColumns(entity)), [
    ...['number', 'supplier_id', 'twin_id', 'total', 'extra'],
  ])
})

test('associations are found by key and name the entity that they link to', () => {
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

test('fields, many-to-one links and the indexes property each define an index once', () => {
  const found = indexesOf(entity).map(({ columns, kind }) => ({ columns, kind }))
  assert.deepEqual(found, [
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

test('system field keys are reserved', () => {
  assert.deepEqual(systemFieldKeys, [
    ...['id', '_is_deleted', '_created_by', '_updated_by', '_created_at', '_updated_at'],
    ...['_owned_by', '_step', 'created_by', 'updated_by', 'owned_by'],
  ])
})

test('getEntity throws for an unknown entity and suggests a similar key', () => {
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
