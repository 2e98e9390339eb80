/** Rules for the console: which files may import which, and the form of every file. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

// From the top: a file may import from its own folder or from one further down.
const layers = ['main.tsx', 'app', 'pages', 'features', 'parts', 'texts', 'api', 'styles']
// They build the console and are no part of it.
const tools = ['build.ts', 'prepare.ts', 'vite.config.ts']
const maxLines = 400

const folder = fileURLToPath(new URL('../../../console/', import.meta.url))
const paths = globSync('**/*.{ts,tsx}', { cwd: folder })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !tools.includes(path))
  .sort()
const texts = new Map(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
const layerOf = (path: string) => layers.indexOf(path.split('/')[0] ?? '')

type Import = { readonly path: string; readonly target: string; readonly isType: boolean }

const imports: readonly Import[] = [...texts].flatMap(([path, text]) =>
  [...text.matchAll(/^(import|export)( type)?[^']*?'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm)].map(
    ([, , type, target, dynamic]) => ({
      path,
      target: posix.normalize(posix.join(dirname(path), target ?? dynamic ?? '')),
      isType: type !== undefined,
    }),
  ),
)

test('every file of the console belongs to one layer', () => {
  assert.ok(paths.length > 40)
  assert.deepEqual(
    paths.filter((path) => layerOf(path) < 0),
    [],
  )
})

test('no file of the console imports from a higher layer', () => {
  const own = imports.filter(({ target }) => !target.startsWith('..'))
  assert.deepEqual(
    own.filter(({ path, target }) => layerOf(target) < layerOf(path)),
    [],
  )
})

// Forms check by them before they are sent.
const rules = '../src/definitions/values/'
const foreign = imports.filter(({ target }) => target.startsWith('..'))

test('of the service the console imports types alone, and the rules of values', () => {
  assert.ok(foreign.length > 0)
  assert.deepEqual(
    foreign.filter(
      ({ target, isType }) =>
        !target.startsWith('../src/') || !(isType || target.startsWith(rules)),
    ),
    [],
  )
})

test('the rules of values need neither Node.js nor a package but that of patterns', () => {
  const seen = new Set<string>()
  const walk = (path: string): void => {
    if (seen.has(path)) return
    seen.add(path)
    const text = readFileSync(join(folder, path), 'utf8')
    for (const [, type, target = ''] of text.matchAll(
      /^(?:import|export)( type)? [^'=]*?from '([^']+)'/gm,
    )) {
      if (type) continue
      if (target.startsWith('.')) walk(posix.normalize(posix.join(dirname(path), target)))
      else assert.equal(target, 're2js', path)
    }
  }
  for (const { target, isType } of foreign) if (!isType) walk(target)
  assert.ok(seen.size > 5 && seen.size < 15, [...seen].join(', '))
})

test('imports of the console have no cycles', () => {
  const targets = Map.groupBy(imports, ({ path }) => path)
  const finished = new Set<string>()
  const walk = (path: string, chain: readonly string[]): void => {
    assert.ok(!chain.includes(path), [...chain, path].join(' → '))
    if (finished.has(path)) return
    for (const { target } of targets.get(path) ?? []) walk(target, [...chain, path])
    finished.add(path)
  }
  for (const path of paths) walk(path, [])
})

test('every file of the console begins with a comment and is short', () => {
  for (const [path, text] of texts) {
    assert.match(text, /^\/\*\*/, path)
    assert.ok(text.split('\n').length <= maxLines, path)
  }
})
