/** What a role may do: nothing by default, its own entry instead of "*", own records, hidden fields. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { roleKeysOf, withScope } from '../../../src/auth/caller.ts'
import { isHidden, isReadOnly, recordRights } from '../../../src/auth/entity-rights.ts'
import { createPermissions, type Permissions } from '../../../src/auth/permissions.ts'
import { int } from '../../../src/database/sql.ts'
import type { Entity } from '../../../src/definitions/catalog.ts'
import { ApiError } from '../../../src/errors.ts'
import { opened } from '../../support/afterwards.ts'
import { catalogOf } from '../users/a-project.ts'

let permissions: Permissions
const catalog = opened(() =>
  catalogOf({
    nobody: { permissions: {} },
    reader: { permissions: { '*': { read: true } } },
    mixed: {
      permissions: {
        '*': { create: true, read: true, update: true, export: true },
        user: { read: 'own', hiddenFields: ['phone', 'security_role'] },
      },
    },
    sealed: {
      permissions: {
        '*': { read: true, create: true, update: true, readOnlyFields: ['assigne', 'type'] },
        user: { read: true, update: true, readOnlyFields: ['phone'] },
      },
    },
    teller: { permissions: { user: { read: true, export: true, hiddenFields: ['email'] } } },
    writer: { permissions: { user: { read: 'own', update: true, readOnlyFields: ['job_title'] } } },
    scribe: { permissions: { user: { read: true, update: true, hiddenFields: ['job_title'] } } },
    owner: { permissions: { task: { read: true, update: 'own', delete: 'own', tasks: 'own' } } },
  }),
)
before(async () => {
  permissions = createPermissions(catalog)
})

const callerWith = (roleKey: string) => ({ userId: 7, roleKey, fullName: '', email: '' })
const entityOf = (key: string): Entity => {
  const entity = catalog.entities.get(key)
  assert.ok(entity)
  return entity
}
const own = { ownedBy: int(7) }

const all = Object.fromEntries(recordRights.map((right) => [right, 'all']))
const rows: readonly [role: string, entity: string, granted: Record<string, unknown>][] = [
  ['nobody', 'task', {}],
  ['a role without a file', 'task', {}],
  ['reader', 'user', { read: 'all' }],
  // For native entities "*" grants reading only.
  ['mixed', 'task', { read: 'all', export: 'all' }],
  ['mixed', 'user', { read: own }],
  ['owner', 'task', { read: 'all', update: own, delete: own, tasks: own }],
  ['owner', 'user', {}],
  ['administrator', 'user', { ...all, create: true }],
  // Several roles: what one of them grants, within what the same one reads.
  ['reader,mixed', 'user', { read: 'all' }],
  ['nobody,mixed', 'user', { read: own }],
  ['mixed,writer', 'user', { read: own, update: own }],
  ['reader,writer', 'user', { read: 'all', update: own }],
  ['sealed,owner', 'task', { read: 'all', update: own, delete: own, tasks: own }],
  ['nobody,administrator', 'user', { ...all, create: true }],
  // The scope of an API key takes away, and adds nothing.
  [withScope('administrator', 'user:read,update'), 'user', { read: 'all', update: 'all' }],
  [withScope('administrator', '*:read;task:*'), 'user', { read: 'all' }],
  [withScope('administrator', 'user:create'), 'user', { create: true }],
  [withScope('administrator', 'removed_entity:*'), 'user', {}],
  [withScope('owner', 'task:read,update'), 'task', { read: 'all', update: own }],
  [withScope('reader', '*:*'), 'user', { read: 'all' }],
  [withScope('reader,writer', 'user:read,update'), 'user', { read: 'all', update: own }],
  [withScope('mixed,writer', 'user:read'), 'user', { read: own }],
]

for (const [role, key, { create = false, ...scopes }] of rows)
  test(`${role} on ${key}: ${Object.keys(scopes).join(', ') || 'nothing'}`, () => {
    const caller = callerWith(role)
    const entity = entityOf(key)
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

test('with the scope of an API key nobody is an administrator, nor reads the audit', () => {
  const scoped = callerWith(withScope('administrator', '*:*'))
  assert.equal(permissions.mayAudit(callerWith('administrator')), true)
  assert.equal(permissions.mayAudit(scoped), false)
  // What a step locks for others is open to the role with a scope, too.
  const roleKey = withScope('reader,writer', '*:read,update;task:*')
  assert.deepEqual(roleKeysOf({ roleKey }), ['reader', 'writer'])
})

const visibleTo = (role: string, key: string): string[] => {
  const access = permissions.accessOf(callerWith(role))
  const entity = entityOf(key)
  return entity.columns.filter((column) => access.maySee(entity, column)).map(({ name }) => name)
}

test('hidden fields, and hidden associations by their key or column, are not visible; all others are', () => {
  const { columns, columnsByName } = entityOf('user')
  const names = columns.map(({ name }) => name)
  assert.deepEqual(
    visibleTo('mixed', 'user'),
    names.filter((name) => name !== 'phone' && name !== 'security_role_id'),
  )
  const column = columnsByName.get('security_role_id')
  assert.ok(column)
  const rights = permissions.rightsOf(callerWith('mixed'), entityOf('user'))
  assert.ok(isHidden({ ...rights, hiddenFields: new Set(['security_role_id']) }, column))
  // A role that may not read an entity sees none of its columns, the administrator each.
  assert.deepEqual(visibleTo('owner', 'user'), [])
  assert.deepEqual(visibleTo('administrator', 'user'), names)
})

test('a role may not write its read-only fields, or those of "*" where an entity has no entry; administrators write all', () => {
  const unwritten = (role: string, key: string): string[] => {
    const rights = permissions.rightsOf(callerWith(role), entityOf(key))
    return entityOf(key).columns.flatMap((one) => (isReadOnly(rights, one) ? [one.name] : []))
  }
  assert.deepEqual(unwritten('sealed', 'task').sort(), ['assigne_id', 'type'])
  assert.deepEqual(unwritten('sealed', 'user'), ['phone'])
  assert.deepEqual(unwritten('mixed', 'user'), [])
  assert.deepEqual(unwritten('administrator', 'task'), [])
})

test('the scope of a role is what it may read', () => {
  for (const [role, scope] of [
    ['reader', 'all'],
    ['mixed', own],
    ['nobody', 'none'],
  ] as const)
    assert.deepEqual(permissions.accessOf(callerWith(role)).readScope(entityOf('user')), scope)
})

test('a field that some of several roles hide is shown where one reads that shows it', () => {
  const shownTo = (role: string) => {
    const scope = permissions.accessOf(callerWith(role)).readScope(entityOf('user'))
    return typeof scope === 'string' ? scope : [...(scope.shown ?? [])]
  }
  // The one reads all users without their e-mails, the other one's own with them.
  assert.deepEqual(shownTo('teller,mixed'), [['email', own]])
  assert.deepEqual(shownTo('mixed,teller'), [['email', own]])
  // Another role shows all of them everywhere.
  assert.equal(shownTo('teller,mixed,reader'), 'all')
  // Both read the same records.
  assert.deepEqual(shownTo('mixed,writer'), [])
  const { columnsByName } = entityOf('user')
  const isSeen = (role: string, name: string) => {
    const column = columnsByName.get(name)
    return column && permissions.accessOf(callerWith(role)).maySee(entityOf('user'), column)
  }
  assert.ok(isSeen('teller,mixed', 'email') && isSeen('teller,mixed', 'phone'))
  assert.ok(!isSeen('mixed,nobody', 'phone'))
})

test('a field is written by users of whose roles one that writes the entity lets them', () => {
  const unwritten = (role: string): string[] => {
    const rights = permissions.rightsOf(callerWith(role), entityOf('user'))
    return entityOf('user').columns.flatMap((one) => (isReadOnly(rights, one) ? [one.name] : []))
  }
  assert.deepEqual(unwritten('writer,sealed'), [])
  assert.deepEqual(unwritten('writer,reader'), ['job_title'])
  // The teller's role sees all users, and writes none.
  assert.deepEqual(unwritten('writer,teller'), ['job_title'])
  // The one sees it, and the other one writes what it sees.
  assert.deepEqual(unwritten('writer,scribe'), ['job_title'])
})

test('the rights of many sets of roles are kept, each once', () => {
  const access = permissions.accessOf(callerWith('teller,mixed'))
  assert.equal(permissions.accessOf(callerWith('teller,mixed')).maySee, access.maySee)
  // Users make scopes: many of them drive out each other, and no roles.
  const scoped = (at: number) => callerWith(withScope('mixed', `user:read;gone_${at}:read`))
  const first = permissions.accessOf(scoped(0))
  assert.equal(permissions.accessOf(scoped(0)).maySee, first.maySee)
  for (let at = 1; at <= 200; at += 1) permissions.accessOf(scoped(at))
  assert.notEqual(permissions.accessOf(scoped(0)).maySee, first.maySee)
  assert.equal(permissions.accessOf(callerWith('teller,mixed')).maySee, access.maySee)
})
