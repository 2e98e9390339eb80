/** The tables of the documents are equal to the lists in the code. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { settings } from '../../src/config/load-config.ts'
import { fieldSchemas } from '../../src/definitions/field-definition.ts'
import { errorKinds } from '../../src/errors.ts'
import { operators } from '../../src/query/criteria.ts'

const page = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')
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

test('docs/definitions.md names every field type', () => {
  const named = new Set(rows(page('definitions.md')).map(([first]) => first))
  for (const type of Object.keys(fieldSchemas)) assert.ok(named.has(`\`${type}\``), type)
})

test('docs/criteria.md names every operator', () => {
  const text = page('criteria.md')
  for (const operator of Object.keys(operators))
    assert.ok(text.includes(`\`${operator}\``), operator)
})

const root = new URL('../../', import.meta.url)
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

test('docs/dependencies.md tells the licence that each installed package has, and a reason', () => {
  for (const [names = '', licence, why] of rows(page('dependencies.md'))) {
    assert.ok(why, names)
    for (const name of namesIn(names)) {
      const file = `node_modules/${name}/package.json`
      if (existsSync(new URL(file, root))) assert.equal(packageOf(file).license, licence, name)
    }
  }
})
