/** The law of the house: who may import whom, and what every file of src looks like. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, sep } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

// Rooms by floor, as in ARCHITECTURE.md: a file imports from its own room or from a lower floor.
const floors: Readonly<Record<number, readonly string[]>> = {
  12: ['cli'],
  11: ['runtime'],
  10: ['api'],
  9: ['notifications', 'telemetry', 'seeding', 'backup'],
  8: ['workflow', 'tasks', 'deliveries', 'documents'],
  7: ['records', 'export', 'functions', 'email'],
  6: ['http'],
  5: ['auth'],
  4: ['query', 'schema-sync', 'users', 'jobs'],
  3: ['database'],
  2: ['definitions', 'config', 'templates', 'processes'],
  1: [
    'errors.ts',
    'observations.ts',
    'did-you-mean.ts',
    'bounded-cache.ts',
    'package-version.ts',
    'within.ts',
    'retry-policy.ts',
  ],
  0: ['error-kinds.ts', 'issues.ts'],
}
const maxLines = 250
const maxFiles = 15
const maxSqlColumns = 120
const drawers = ['utils', 'helpers', 'common', 'shared', 'lib']

const root = fileURLToPath(new URL('../', import.meta.url))
const source = join(root, 'src')
const paths = readdirSync(source, { recursive: true, withFileTypes: true })
  .map((entry) =>
    join(entry.parentPath, entry.name)
      .slice(source.length + 1)
      .split(sep)
      .join('/'),
  )
  .sort()
const texts = new Map(
  paths
    .filter((path) => path.endsWith('.ts'))
    .map((path) => [path, readFileSync(join(source, path), 'utf8')]),
)

const roomOf = (path: string) => path.split('/')[0] ?? path
const floorOf = (room: string) =>
  Number(Object.entries(floors).find(([, rooms]) => rooms.includes(room))?.[0])

/** Files of src that a file imports, statically, dynamically or by type. */
const importsOf = (path: string, text: string): string[] =>
  [...text.matchAll(/(?:\bfrom|\bimport\(|^import) *'(\.[^']+)'/gm)].map(([, target = '']) =>
    normalize(join(dirname(path), target))
      .split(sep)
      .join('/'),
  )

const imports = [...texts].flatMap(([path, text]) =>
  importsOf(path, text).map((target) => ({ path, target })),
)

test('every room stands on one floor', () => {
  const rooms = [...new Set([...texts.keys()].map(roomOf))]
  assert.deepEqual(rooms.sort(), Object.values(floors).flat().sort())
})

test('ARCHITECTURE.md shows the same floors', () => {
  const rows = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').matchAll(
    /^\| (\d+) \| (.+?) \|/gm,
  )
  const shown = [...rows].map(([, floor, rooms = '']) => [
    floor,
    [...rooms.matchAll(/`([^`]+?)\/?`/g)].map(([, room]) => room).sort(),
  ])
  const law = Object.entries(floors).map(([floor, rooms]) => [floor, [...rooms].sort()])
  assert.deepEqual(shown, law.reverse())
})

test('every import ends in a file of src', () => {
  assert.ok(imports.length > texts.size)
  const missing = imports.filter(({ target }) => target.endsWith('.ts') && !texts.has(target))
  assert.deepEqual(missing, [])
})

test('no file imports from a higher floor, or from another room of its own', () => {
  const broken = imports.filter(({ path, target }) => {
    const [from, to] = [roomOf(path), roomOf(target)]
    return from !== to && !(floorOf(to) < floorOf(from))
  })
  assert.deepEqual(broken, [])
})

test('imports, those of types too, run in no circle', () => {
  const all = new Map([...texts].map(([path, text]) => [path, importsOf(path, text)]))
  const settled = new Set<string>()
  const walk = (path: string, way: readonly string[]): void => {
    assert.ok(!way.includes(path), [...way, path].join(' → '))
    if (settled.has(path)) return
    for (const target of all.get(path) ?? []) walk(target, [...way, path])
    settled.add(path)
  }
  for (const path of all.keys()) walk(path, [])
})

test('every file opens with what it is for', () => {
  const bare = [...texts].filter(
    ([, text]) => !/^(#!.*\n)?\/\*\*? ?\S|^(#!.*\n)?\/\*\*\n \* \S/.test(text),
  )
  assert.deepEqual(
    bare.map(([path]) => path),
    [],
  )
})

test(`no file is longer than ${maxLines} lines`, () => {
  const long = [...texts]
    .map(([path, text]) => ({ path, lines: text.trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > maxLines)
  assert.deepEqual(long, [])
})

// Where a line is text of a statement, a reviewer reads it clause by clause.
const sqlText =
  /\b(SELECT|INSERT INTO|DELETE FROM|LEFT JOIN|WHERE|RETURNING|CASE WHEN|(ORDER|GROUP) BY)\b|json_build_object\(/

test(`no line of SQL is longer than ${maxSqlColumns} characters`, () => {
  const long = [...texts].flatMap(([path, text]) =>
    text
      .split('\n')
      .filter((line) => line.length > maxSqlColumns && sqlText.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  )
  assert.deepEqual(long, [])
})

test(`no folder has more than ${maxFiles} files`, () => {
  const counts = Map.groupBy(texts.keys(), dirname)
  const full = [...counts].map(([folder, own]) => ({ folder, files: own.length }))
  assert.deepEqual(
    full.filter(({ files }) => files > maxFiles),
    [],
  )
})

test('there is no drawer and no barrel', () => {
  const named = (path: string) => path.split('/').at(-1) ?? ''
  const found = paths.filter((path) => [...drawers, 'index.ts'].includes(named(path)))
  assert.deepEqual(found, [])
})

test('only the configuration and the command line read the environment', () => {
  const readers = [...texts]
    .filter(([, text]) => text.includes('process.env'))
    .map(([path]) => path)
  assert.deepEqual(
    readers.filter((path) => !['cli', 'config'].includes(roomOf(path))),
    [],
  )
})
