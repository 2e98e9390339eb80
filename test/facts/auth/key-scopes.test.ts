/** What people write as the scope of an API key, and what is wrong with it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type EntityRights, noRecordRights } from '../../../src/auth/entity-rights.ts'
import {
  maxScope,
  parseKeyScope,
  unknownInScope,
  withinScope,
} from '../../../src/auth/key-scopes.ts'
import { createEntity } from '../../../src/definitions/catalog.ts'

const keys = ['purchase_order', 'contact']
const catalog = {
  entities: new Map(keys.map((key) => [key, createEntity({ key, fields: [] }, false)])),
  roles: new Map(),
}

const rows: readonly [given: string, read: string | RegExp][] = [
  ['purchase_order:read,export', 'purchase_order:read,export'],
  [' contact : export , read ;*:read', '*:read;contact:read,export'],
  ['contact:read;purchase_order:read;contact:tasks', 'purchase_order:read;contact:read,tasks'],
  ['contact:*,read', 'contact:*'],
  ['*:*', '*:*'],
  ['contact:create', 'contact:create'],
  ['contact:create,read', 'contact:read,create'],
  ['purchse_order:read', /^there is no entity "purchse_order"; did you mean "purchase_order"\?$/],
  [
    'contact:raed',
    /there is no right "raed"; did you mean "read"\? \(read, create, import, update, .*\*\)/,
  ],
  ['contact:update', /^"contact" needs the right "read" too: all but "create" do$/],
  ['contact', /^"contact" is not of the form entity:right,right$/],
  ['contact:', /is not of the form/],
  ['contact:read;', /^"" is not of the form/],
  ['contact:read:update', /is not of the form/],
  ['', /is not of the form/],
  ['contact@x:read', /there is no entity "contact@x"/],
  ['x'.repeat(maxScope + 1), /^has more than 4000 characters$/],
]

for (const [given, wanted] of rows)
  test(`a scope: ${given.slice(0, 40)}`, () => {
    const read = parseKeyScope(catalog, given)
    if (typeof wanted === 'string') assert.deepEqual(read, { scope: wanted })
    else assert.match('issues' in read ? read.issues.join('\n') : read.scope, wanted)
  })

test('every fault is named, at most 20', () => {
  const read = parseKeyScope(catalog, 'a1:read;contact:b2;c3')
  assert.equal('issues' in read && read.issues.length, 4)
  const many = parseKeyScope(catalog, 'x:y;'.repeat(100))
  assert.equal('issues' in many && many.issues.length, 20)
})

test('entities that were removed since are named', () => {
  assert.deepEqual(unknownInScope(catalog, '*:read;contact:read;gone:read,update'), ['gone'])
})

const granted: EntityRights = {
  create: true,
  import: 'history',
  scopes: { ...noRecordRights, read: 'own', export: true },
  actions: new Set(['submit']),
  hiddenFields: new Set(),
  readOnlyFields: new Set(),
  conditions: {},
}

test('a key has of the rights of its user what its scope names, and nothing that they lack', () => {
  const left = (scope: string, rights = granted) => {
    const {
      create,
      import: imports,
      scopes,
      actions,
    } = withinScope(scope)({ key: 'contact' }, rights)
    const given = Object.entries(scopes).filter(([, covers]) => covers !== false)
    return [create, imports, Object.fromEntries(given), [...actions]]
  }
  const records = { read: 'own', export: true }
  assert.deepEqual(left('*:*'), [true, 'history', records, ['submit']])
  assert.deepEqual(left('contact:*'), [true, 'history', records, ['submit']])
  assert.deepEqual(left('contact:create'), [true, false, {}, []])
  assert.deepEqual(left('contact:read,import'), [false, 'history', { read: 'own' }, []])
  assert.deepEqual(left('contact:read,actions'), [false, false, { read: 'own' }, ['submit']])
  assert.deepEqual(left('contact:read,update;*:*'), [false, false, { read: 'own' }, []])
  assert.deepEqual(left('purchase_order:*'), [false, false, {}, []])
  const none = { ...granted, create: false, import: false, actions: new Set<string>() }
  assert.deepEqual(left('*:*', none), [false, false, records, []])
})
