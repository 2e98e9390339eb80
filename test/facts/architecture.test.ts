/** Rules for src: which files may import which, and the form of every file. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, sep } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

// Folders by layer, as in ARCHITECTURE.md: a file may import from its own folder or from a lower layer.
const layers: Readonly<Record<number, readonly string[]>> = {
  12: ['cli'],
  11: ['runtime'],
  10: ['api', 'diagnosis'],
  9: ['bulk', 'notifications', 'telemetry', 'seeding', 'backup'],
  8: ['workflow', 'tasks', 'deliveries', 'documents'],
  7: ['records', 'export', 'functions', 'email'],
  6: ['http'],
  5: ['auth'],
  4: ['query', 'schema-sync', 'users', 'jobs'],
  3: ['database', 'templates'],
  2: ['definitions', 'config', 'processes'],
  1: [
    'errors.ts',
    'observations.ts',
    'spans.ts',
    'did-you-mean.ts',
    'bounded-cache.ts',
    'package-version.ts',
    'within.ts',
    'retry-policy.ts',
    'lower-case.ts',
  ],
  0: ['error-kinds.ts', 'issues.ts'],
}
const maxLines = 400
const maxSqlColumns = 120
const forbiddenNames = ['utils', 'helpers', 'common', 'shared', 'lib']

const root = fileURLToPath(new URL('../../', import.meta.url))
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

const topFolderOf = (path: string) => path.split('/')[0] ?? path
const layerOf = (folder: string) =>
  Number(Object.entries(layers).find(([, folders]) => folders.includes(folder))?.[0])

/** The files of src that a file imports, statically, dynamically or as types. */
const importsOf = (path: string, text: string): string[] =>
  [...text.matchAll(/(?:\bfrom|\bimport\(|^import) *'(\.[^']+)'/gm)].map(([, target = '']) =>
    normalize(join(dirname(path), target))
      .split(sep)
      .join('/'),
  )

const imports = [...texts].flatMap(([path, text]) =>
  importsOf(path, text).map((target) => ({ path, target })),
)

test('every folder belongs to one layer', () => {
  const folders = [...new Set([...texts.keys()].map(topFolderOf))]
  assert.deepEqual(folders.sort(), Object.values(layers).flat().sort())
})

test('ARCHITECTURE.md shows the same layers', () => {
  const rows = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').matchAll(
    /^\| (\d+) \| (.+?) \|/gm,
  )
  const shown = [...rows].map(([, layer, folders = '']) => [
    layer,
    [...folders.matchAll(/`([^`]+?)\/?`/g)].map(([, folder]) => folder).sort(),
  ])
  const expected = Object.entries(layers).map(([layer, folders]) => [layer, [...folders].sort()])
  assert.deepEqual(shown, expected.reverse())
})

test('every import leads to a file of src', () => {
  assert.ok(imports.length > texts.size)
  const missing = imports.filter(({ target }) => target.endsWith('.ts') && !texts.has(target))
  assert.deepEqual(missing, [])
})

test('no file imports from a higher layer or from another folder of its own layer', () => {
  const violations = imports.filter(({ path, target }) => {
    const [from, to] = [topFolderOf(path), topFolderOf(target)]
    return from !== to && !(layerOf(to) < layerOf(from))
  })
  assert.deepEqual(violations, [])
})

test('imports, including those of types, have no cycles', () => {
  const all = new Map([...texts].map(([path, text]) => [path, importsOf(path, text)]))
  const finished = new Set<string>()
  const walk = (path: string, chain: readonly string[]): void => {
    assert.ok(!chain.includes(path), [...chain, path].join(' → '))
    if (finished.has(path)) return
    for (const target of all.get(path) ?? []) walk(target, [...chain, path])
    finished.add(path)
  }
  for (const path of all.keys()) walk(path, [])
})

test('every file begins with a comment', () => {
  const withoutComment = [...texts].filter(
    ([, text]) => !/^(#!.*\n)?\/\*\*? ?\S|^(#!.*\n)?\/\*\*\n \* \S/.test(text),
  )
  assert.deepEqual(
    withoutComment.map(([path]) => path),
    [],
  )
})

test(`no file is longer than ${maxLines} lines`, () => {
  const long = [...texts]
    .map(([path, text]) => ({ path, lines: text.trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > maxLines)
  assert.deepEqual(long, [])
})

// Lines of SQL stay short, so that a reviewer can read a statement clause by clause.
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

test('no file or folder is a catch-all or an index file', () => {
  const lastSegment = (path: string) => path.split('/').at(-1) ?? ''
  const found = paths.filter((path) => [...forbiddenNames, 'index.ts'].includes(lastSegment(path)))
  assert.deepEqual(found, [])
})

test('no file loads the 370 files of the builders of TypeBox: schema-builder.ts replaces them', () => {
  const loads = /^import (?!type\b).*from 'typebox'/m
  assert.deepEqual(
    [...texts].filter(([, text]) => loads.test(text)).map(([path]) => path),
    [],
  )
})

test('only the configuration and the command line read the environment', () => {
  const readers = [...texts]
    .filter(([, text]) => text.includes('process.env'))
    .map(([path]) => path)
  assert.deepEqual(
    readers.filter((path) => !['cli', 'config'].includes(topFolderOf(path))),
    [],
  )
})
