/** The tables of the documentation match the lists in the code. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { auditedSignInWays, auditKindNames } from '../../../src/audit/audit-kinds.ts'
import { settings } from '../../../src/config/load-config.ts'
import { formulaFunctions } from '../../../src/definitions/calculations/formulas.ts'
import { rollupFunctions } from '../../../src/definitions/calculations/rollups.ts'
import { fieldTypes } from '../../../src/definitions/field-types.ts'
import { errorKinds } from '../../../src/error-kinds.ts'
import { operators } from '../../../src/query/criteria/operators.ts'

const page = (name: string) =>
  readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8')
const rows = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )

test('docs/errors.md lists every error code with its status, title and next step', () => {
  assert.deepEqual(
    rows(page('errors.md')),
    Object.entries(errorKinds).map(([code, { status, title, hint }]) => [
      `\`${code}\``,
      String(status),
      title,
      hint,
    ]),
  )
})

test('docs/configuration.md lists every setting with its default', () => {
  const printed = (fallback: string | undefined) =>
    fallback === undefined ? '' : fallback === '' ? 'empty' : `\`${fallback}\``
  assert.deepEqual(
    rows(page('configuration.md')),
    Object.entries(settings).map(([name, { fallback, description }]) => [
      `\`${name}\``,
      printed(fallback),
      description,
    ]),
  )
})

test('docs/audit.md names every kind of event, and every way to sign in', () => {
  const text = page('audit.md')
  for (const word of [...auditKindNames, ...auditedSignInWays])
    assert.ok(text.includes(`\`${word}\``), word)
})

test('docs/definitions.md names every field type', () => {
  const named = new Set(rows(page('definitions.md')).map(([first]) => first))
  for (const type of Object.keys(fieldTypes)) assert.ok(named.has(`\`${type}\``), type)
})

test('docs/calculated-fields.md lists the functions of formulas and of rollups with their meaning', () => {
  const [, formulas = '', rollups = ''] = page('calculated-fields.md').split('| Function |')
  assert.deepEqual(
    rows(formulas),
    Object.values(formulaFunctions).map(({ usage, meaning }) => [
      usage
        .split(' or ')
        .map((one) => `\`${one}\``)
        .join(', '),
      meaning,
    ]),
  )
  assert.deepEqual(
    rows(rollups).map(([name, , meaning]) => [name, meaning]),
    Object.entries(rollupFunctions).map(([name, { meaning }]) => [`\`${name}\``, meaning]),
  )
})

test('docs/criteria.md names every operator', () => {
  const text = page('criteria.md')
  for (const operator of Object.keys(operators))
    assert.ok(text.includes(`\`${operator}\``), operator)
})

const root = new URL('../../../', import.meta.url)
const packageOf = (path: string) => JSON.parse(readFileSync(new URL(path, root), 'utf8'))
const namesIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

test('docs/dependencies.md lists every package of package.json under its heading', () => {
  const own = packageOf('package.json')
  const [, ...parts] = page('dependencies.md').split(/^## /m)
  assert.deepEqual(
    parts.map((part) => [
      part.split('\n')[0],
      rows(part)
        .flatMap(([names]) => namesIn(names))
        .sort(),
    ]),
    [
      ['The service', Object.keys(own.dependencies).sort()],
      ['Picked by platform', Object.keys(own.optionalDependencies).sort()],
      ['Development', Object.keys(own.devDependencies).sort()],
    ],
  )
})

test('docs/dependencies.md contains the licence of each installed package, and a reason', () => {
  for (const [names = '', licence, why] of rows(page('dependencies.md'))) {
    assert.ok(why, names)
    for (const name of namesIn(names)) {
      const file = `node_modules/${name}/package.json`
      if (existsSync(new URL(file, root))) assert.equal(packageOf(file).license, licence, name)
    }
  }
})

const nativeFolder = new URL('src/definitions/native/', root)

test('docs/native-entities.md lists every field of every native entity', () => {
  const files = readdirSync(nativeFolder).sort()
  const [, ...parts] = page('native-entities.md').split(/^## /m)
  const shown = parts.map((part) => [
    part.split('\n')[0],
    rows(part).map((cells) => cells.slice(0, 4)),
  ])
  const defined = files.map((file) => {
    const { key, fields } = JSON.parse(readFileSync(new URL(file, nativeFolder), 'utf8'))
    return [key, fields.map(fieldCells)]
  })
  assert.deepEqual(new Map(shown as [string, unknown][]), new Map(defined as [string, unknown][]))
})

const fieldCells = (field: Record<string, unknown>): string[] => {
  const { key, type, entity, maxLength, required, unique } = field
  const more =
    entity === undefined ? (maxLength === undefined ? '' : `, ${maxLength}`) : ` \`${entity}\``
  const flags = [...(required === true ? ['yes'] : []), ...(unique === true ? ['unique'] : [])]
  return [
    `\`${key}\``,
    `${type}${more}`,
    flags.join(', '),
    field.default === undefined ? '' : `\`${JSON.stringify(field.default)}\``,
  ]
}

test('the user record of docs/native-entities.md, tasks.md and the definition has the same fields', () => {
  const { fields } = JSON.parse(readFileSync(new URL('user.json', nativeFolder), 'utf8'))
  const own = fields
    .filter(({ type }: { type: string }) => type !== 'oneToMany')
    .map(({ key, type }: { key: string; type: string }) =>
      type === 'manyToOne' ? `${key}_id` : key,
    )
  const [, list = ''] =
    /keys of the interface's user record: ([^.]+)\./.exec(page('tasks.md')) ?? []
  assert.deepEqual(
    namesIn(list).filter((name) => name !== 'id' && !name.startsWith('_')),
    own,
  )
  assert.equal(namesIn(list).length, 19)
})

test('docs/definitions.md names every native entity', () => {
  const keys = readdirSync(nativeFolder).map((name) => name.replace('.json', ''))
  const [, list = ''] =
    /The entities ([^.]+) are\npart of Docket/.exec(page('definitions.md')) ?? []
  assert.deepEqual(namesIn(list).toSorted(), keys.toSorted())
})

test('every property of a notification entry has a description for editors', () => {
  const { properties } = packageOf('schema/entity.json')
  const lacking = (at: string, shape: { description?: string; properties?: object }): string[] =>
    shape.properties
      ? Object.entries(shape.properties).flatMap(([name, inner]) => lacking(`${at}.${name}`, inner))
      : shape.description === undefined
        ? [at]
        : []
  assert.deepEqual(lacking('notifications', properties.notifications.items), [])
})
