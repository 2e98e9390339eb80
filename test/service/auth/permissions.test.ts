/** What a role may do: nothing by default, its own entry instead of "*", own records, hidden fields. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  createPermissions,
  isHidden,
  type Permissions,
  recordRights,
} from '../../../src/auth/permissions.ts'
import type { Catalog, Entity } from '../../../src/definitions/catalog.ts'
import { ApiError } from '../../../src/errors.ts'
import { catalogOf } from '../users/a-project.ts'

let catalog: Catalog
let permissions: Permissions
before(async () => {
  catalog = await catalogOf({
    nobody: { permissions: {} },
    reader: { permissions: { '*': { read: true } } },
    mixed: {
      permissions: {
        '*': { create: true, read: true, update: true, export: true },
        user: { read: 'own', hiddenFields: ['phone', 'security_role'] },
      },
    },
    owner: { permissions: { task: { read: true, update: 'own', delete: 'own', tasks: 'own' } } },
  })
  permissions = createPermissions(catalog)
})

const callerWith = (roleKey: string) => ({ userId: 7, roleKey, fullName: '', email: '' })
const entityOf = (key: string): Entity => {
  const entity = catalog.entities.get(key)
  assert.ok(entity)
  return entity
}
const own = { ownedBy: 7 }

const rows = [
  { role: 'nobody', entity: 'task', granted: {}, create: false },
  { role: 'a role without a file', entity: 'task', granted: {}, create: false },
  { role: 'reader', entity: 'user', granted: { read: 'all' }, create: false },
  { role: 'reader', entity: 'task', granted: { read: 'all' }, create: false },
  {
    role: 'mixed',
    entity: 'task',
    // For native entities "*" grants reading only.
    granted: { read: 'all', export: 'all' },
    create: false,
  },
  { role: 'mixed', entity: 'user', granted: { read: own }, create: false },
  {
    role: 'owner',
    entity: 'task',
    granted: { read: 'all', update: own, delete: own, tasks: own },
    create: false,
  },
  { role: 'owner', entity: 'user', granted: {}, create: false },
  {
    role: 'administrator',
    entity: 'user',
    granted: Object.fromEntries(recordRights.map((right) => [right, 'all'])),
    create: true,
  },
]

for (const { role, entity: key, granted, create } of rows)
  test(`${role} on ${key}: ${[...Object.keys(granted), ...(create ? ['create'] : [])].join(', ') || 'nothing'}`, () => {
    const caller = callerWith(role)
    const entity = entityOf(key)
    const scopes: Record<string, unknown> = granted
    for (const right of recordRights) {
      if (scopes[right] === undefined)
        refuses(() => permissions.permit(caller, right, entity), right)
      else assert.deepEqual(permissions.permit(caller, right, entity), scopes[right], right)
    }
    if (create) permissions.permitCreate(caller, entity)
    else refuses(() => permissions.permitCreate(caller, entity), 'create')
  })

const refuses = (act: () => unknown, right: string) =>
  assert.throws(
    act,
    (error) =>
      error instanceof ApiError &&
      error.code === 'caller.forbidden' &&
      error.message.includes(`"${right}"`),
  )

const visibleTo = (role: string, key: string): string[] => {
  const access = permissions.accessOf(callerWith(role))
  const entity = entityOf(key)
  return entity.columns.filter((column) => access.maySee(entity, column)).map(({ name }) => name)
}

test('hidden fields, and hidden associations by their key, are not visible; all others are', () => {
  const all = entityOf('user').columns.map(({ name }) => name)
  assert.deepEqual(
    visibleTo('mixed', 'user'),
    all.filter((name) => name !== 'phone' && name !== 'security_role_id'),
  )
})

test('a column may be hidden by its own name', () => {
  const { columnsByName } = entityOf('user')
  const column = columnsByName.get('security_role_id')
  assert.ok(column)
  const rights = permissions.rightsOf(callerWith('mixed'), entityOf('user'))
  assert.ok(isHidden({ ...rights, hiddenFields: new Set(['security_role_id']) }, column))
})

test('a role that may not read an entity sees none of its columns', () => {
  assert.deepEqual(visibleTo('owner', 'user'), [])
})

test('the administrator sees every column', () => {
  assert.equal(visibleTo('administrator', 'user').length, entityOf('user').columns.length)
})

for (const [role, key, scope] of [
  ['reader', 'user', 'all'],
  ['mixed', 'user', own],
  ['nobody', 'user', 'none'],
] as const)
  test(`the record scope of ${role} on ${key} is ${JSON.stringify(scope)}`, () => {
    const access = permissions.accessOf(callerWith(role))
    assert.deepEqual(access.readScope(entityOf(key)), scope)
  })
