/** Rules for src and console: which files may import which, and the form of every file. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

// Folders by layer, as in ARCHITECTURE.md: a file may import from its own folder or from a lower layer.
const layers: Readonly<Record<number, readonly string[]>> = {
  13: ['cli'],
  12: ['runtime'],
  11: ['api', 'diagnosis'],
  10: ['notify', 'personal-data', 'telemetry', 'seeding', 'backup'],
  9: ['bulk', 'inbox'],
  8: ['workflow', 'tasks', 'comments', 'outbox', 'documents', 'import'],
  7: ['records', 'export', 'functions', 'uploads'],
  6: ['http'],
  5: ['auth', 'schema-sync'],
  4: ['query', 'users', 'jobs', 'audit', 'blobs'],
  3: ['database', 'templates'],
  2: ['definitions', 'config', 'processes'],
  1: [
    'errors.ts',
    'observations.ts',
    'spans.ts',
    'did-you-mean.ts',
    'bounded-cache.ts',
    'limit.ts',
    'package-version.ts',
    'within.ts',
    'waiting-requests.ts',
    'retry-policy.ts',
    'lower-case.ts',
    'kept.ts',
    'counted.ts',
  ],
  0: ['error-kinds.ts', 'issues.ts'],
}
// The floors of the console, the highest first.
const floors = ['main.tsx', 'app', 'pages', 'features', 'parts', 'texts', 'api', 'styles']
// The rooms of `console/features`, the highest first.
const rooms = [
  'administration',
  'day',
  'account',
  'inbox',
  'approvals',
  'totals',
  'bulk',
  'import',
  'export',
  'record',
  'personal-data',
  'tasks',
  'comments',
  'search',
  'views',
  'lines',
  'grid',
  'workflow',
  'forms',
  'filter',
  'preview',
  'values',
  'files',
  'session',
  'format',
]
const maxLines = 400
const maxSqlColumns = 120
const forbiddenNames = ['utils', 'helpers', 'common', 'shared', 'lib', 'index']

const root = fileURLToPath(new URL('../../', import.meta.url))

type Import = { readonly path: string; readonly target: string; readonly isType: boolean }

/** The files that a file imports, statically, dynamically or as types. */
const importsOf = (path: string, text: string): Import[] =>
  [
    ...text.matchAll(
      /^(?:import|export)( type)?(?: [^'=]*?from)? '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm,
    ),
  ].map(([, type, target, dynamic]) => ({
    path,
    target: posix.normalize(posix.join(posix.dirname(path), target ?? dynamic ?? '')),
    isType: type !== undefined,
  }))

/** The texts of a folder by their paths in it, and all of their imports. */
const readSources = (folder: string, pattern: string, others: readonly string[] = []) => {
  const paths = globSync(pattern, { cwd: join(root, folder) })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !others.includes(path))
  const texts = new Map(
    paths.sort().map((path) => [path, readFileSync(join(root, folder, path), 'utf8')]),
  )
  const imports = [...texts].flatMap(([path, text]) => importsOf(path, text))
  assert.ok(texts.size > 40 && imports.length > texts.size)
  return { texts, imports }
}
const { texts, imports } = readSources('src', '**/*.ts')
// What builds the console is no part of it.
const page = readSources('console', '**/*.{ts,tsx}', ['build.ts', 'prepare.ts', 'vite.config.ts'])

const topFolderOf = (path: string) => path.split('/')[0] ?? path
const layerOf = (folder: string) =>
  Number(Object.entries(layers).find(([, folders]) => folders.includes(folder))?.[0])
const floorOf = (path: string) => floors.indexOf(topFolderOf(path))
const isForeign = ({ target }: Import) => target.startsWith('..')

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

test('imports of the console lead to no higher floor', () => {
  const paths = [...page.texts.keys()]
  assert.deepEqual(
    paths.filter((path) => floorOf(path) < 0),
    [],
  )
  const own = page.imports.filter((one) => !isForeign(one))
  assert.deepEqual(
    own.filter(({ path, target }) => floorOf(target) < floorOf(path)),
    [],
  )
})

test('rooms of the console import from lower rooms alone', () => {
  const roomOf = (path: string) => {
    const [folder, room = ''] = path.split('/')
    return folder === 'features' ? rooms.indexOf(room) : undefined
  }
  const paths = [...page.texts.keys()]
  assert.deepEqual(
    paths.filter((path) => roomOf(path) === -1),
    [],
  )
  assert.deepEqual(
    page.imports.filter(({ path, target }) => {
      const [from, to] = [roomOf(path), roomOf(target)]
      return from !== undefined && to !== undefined && to < from
    }),
    [],
  )
})

test('of the service the console imports types alone, and the rules of values, which need two packages', () => {
  const foreign = page.imports.filter(isForeign)
  const values = foreign.filter(({ isType }) => !isType).map(({ target }) => target)
  const others = foreign.filter(({ target }) => !target.startsWith('../src/'))
  assert.deepEqual(others, [])
  // Forms check by them before they are sent.
  const rules = '../src/definitions/values/'
  assert.deepEqual(
    values.filter((target) => !target.startsWith(rules)),
    [],
  )
  const seen = new Set<string>()
  const walk = (path: string): void => {
    if (seen.has(path)) return
    seen.add(path)
    const text = texts.get(path.replace('../src/', '')) ?? ''
    for (const [, type, target = ''] of text.matchAll(
      /^(?:import|export)( type)? [^'=]*?from '([^']+)'/gm,
    )) {
      if (type) continue
      if (target.startsWith('.')) walk(posix.normalize(posix.join(posix.dirname(path), target)))
      else assert.ok(['re2js', 'libphonenumber-js/min'].includes(target), `${path}: ${target}`)
    }
  }
  values.forEach(walk)
  assert.ok(seen.size > 5 && seen.size < 20, [...seen].join(', '))
})

for (const [name, sources] of Object.entries({ src: { texts, imports }, console: page })) {
  test(`imports of ${name}, including those of types, have no cycles`, () => {
    const targets = Map.groupBy(sources.imports, ({ path }) => path)
    const finished = new Set<string>()
    const walk = (path: string, chain: readonly string[]): void => {
      assert.ok(!chain.includes(path), [...chain, path].join(' → '))
      if (finished.has(path)) return
      for (const { target } of targets.get(path) ?? []) walk(target, [...chain, path])
      finished.add(path)
    }
    for (const path of sources.texts.keys()) walk(path, [])
  })

  test(`every file of ${name} begins with a comment and has at most ${maxLines} lines`, () => {
    for (const [path, text] of sources.texts) {
      assert.match(text, /^(#!.*\n)?\/\*\*?( ?|\n \* )\S/, path)
      // The texts of a language are a table.
      if (!path.startsWith('texts/')) assert.ok(text.trimEnd().split('\n').length <= maxLines, path)
    }
  })
}

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

test('no file or folder of src is a catch-all or an index file', () => {
  const names = [...texts.keys()].flatMap((path) => path.split('/'))
  assert.deepEqual(
    names.filter((name) => forbiddenNames.includes(name.replace(/\.ts$/, ''))),
    [],
  )
})

test('no file loads the 370 files of the builders of TypeBox: schema-builder.ts replaces them', () => {
  const loads = /^import (?!type\b).*from 'typebox'/m
  assert.deepEqual(
    [...texts].filter(([, text]) => loads.test(text)).map(([path]) => path),
    [],
  )
})

test('a thread that reads one file loads neither the compiler of queries nor a client of PostgreSQL', () => {
  const loaded = new Set(['import/import-thread.ts'])
  for (const path of loaded)
    for (const { path: from, target, isType } of imports)
      if (from === path && !isType) loaded.add(target)
  const client = /^import (?!type\b).*from 'pg'/m
  const heavy = [...loaded].filter(
    (path) => topFolderOf(path) === 'query' || client.test(texts.get(path) ?? ''),
  )
  assert.deepEqual(heavy, [])
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
