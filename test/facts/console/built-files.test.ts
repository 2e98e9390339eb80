/** The built console, by what Vite says of it: what a page needs first is little, and each file can be loaded first. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const maxFiles = 8
const maxFirstBytes = 150_000
const maxFurtherFiles = 5

const folder = new URL('../../../dist/console/', import.meta.url)
const readBuilt = (path: string): Buffer => readFileSync(new URL(path, folder))

type Chunk = {
  readonly file: string
  readonly css?: readonly string[]
  readonly imports?: readonly string[]
}
const manifest: Readonly<Record<string, Chunk>> = JSON.parse(
  readBuilt('.vite/manifest.json').toString(),
)

const chunkOf = (key: string): Chunk => {
  const chunk = manifest[key]
  assert.ok(chunk, `The build has ${key}.`)
  return chunk
}

/** The key of a part: several modules that are one file. */
const keyOf = (part: string): string =>
  Object.keys(manifest).find((key) => key.replace(/-.{7}\.\w+$/, '') === `_${part}`) ?? part

/** The files of modules, and of all that they import. */
const neededBy = (...modules: readonly string[]): ReadonlySet<string> => {
  const seen = new Set<string>()
  const files = new Set<string>()
  const add = (key: string): void => {
    if (seen.has(key)) return
    seen.add(key)
    const { file, css = [], imports = [] } = chunkOf(key)
    for (const one of [file, ...css]) files.add(one)
    for (const one of imports) add(one)
  }
  for (const key of modules) add(key)
  return files
}

const bytesOf = (files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + gzipSync(readBuilt(file)).length, 0)

// The page names one script that no module imports.
const first = ['assets/start.js', ...neededBy('index.html')]

test('a list needs few files, which are small together', () => {
  assert.ok(first.length <= maxFiles, `A list needs ${first.join(', ')}.`)
  assert.ok(bytesOf(first) <= maxFirstBytes, `A list needs ${bytesOf(first)} bytes.`)
  for (const file of first) assert.match(file, /\.(js|css)$/)
})

test('the page names all of them, and nothing from elsewhere', () => {
  const html = readBuilt('index.html').toString()
  const named = [...html.matchAll(/(?:src|href)="\/?([^"]+)"/g)].map(([, file]) => file)
  assert.deepEqual(named.toSorted(), first.toSorted())
})

test('browsers compile its scripts while they come', () => {
  const scripts = first.filter((file) => /-.*\.js$/.test(file))
  const hint = '//# allFunctionsCalledOnLoad\n'
  const hinted = scripts.filter((file) => readBuilt(file).toString().startsWith(hint))
  // What only joins them has next to no functions.
  assert.equal(hinted.length, scripts.length - 1, hinted.join(', '))
})

const parts = [
  ['record', 81_700],
  // What an empty list says, and where a sign-in leads, is loaded with it and not with the first list.
  ['work', 135_500],
  // Tables of lines, ranges of cells, comments, and the dialogs of a record.
  ['lines', 159_700],
  ['import', 147_500],
  ['administration', 174_700],
] as const
for (const [part, maxBytes] of parts)
  test(`a page of ${part} needs few files more, which are small together`, () => {
    // With the texts in the language of most users.
    const own = [keyOf(`${part}-texts-en`)].filter((key) => key in manifest)
    const needed = neededBy(keyOf(part), keyOf('texts-en'), ...own)
    const further = [...needed].filter((file) => !first.includes(file))
    assert.ok(
      further.length > 0 && further.length <= maxFurtherFiles + own.length,
      further.join(', '),
    )
    assert.ok(bytesOf(further) <= maxBytes, `${part} adds ${bytesOf(further)} bytes.`)
  })

test('parts need only those before them, and there are few', () => {
  const needed = parts.map(([part]) => {
    const { imports = [] } = manifest[keyOf(part)] ?? {}
    return parts.map(([one]) => one).filter((one) => imports.includes(keyOf(one)))
  })
  const both = ['record', 'work']
  assert.deepEqual(needed, [[], ['record'], both, both, both])
  assert.ok(Object.values(manifest).length <= 25)
})

test('no file imports itself by way of others: it would find their values undefined', () => {
  const ended = new Set<string>()
  const follow = (key: string, chain: readonly string[]): void => {
    assert.ok(!chain.includes(key), [...chain, key].join(' > '))
    if (ended.has(key)) return
    for (const next of chunkOf(key).imports ?? []) follow(next, [...chain, key])
    ended.add(key)
  }
  for (const key of Object.keys(manifest)) follow(key, [])
})

/** What stands before the blocks of styles that are in no other block, and the statements next to them. */
const outsideOfBlocks = (styles: string): readonly string[] => {
  let depth = 0
  let begin = 0
  const found: string[] = []
  for (const { 0: mark, index } of styles.matchAll(/[{};]/g)) {
    if (depth === 0) found.push(styles.slice(begin, index).trim())
    if (mark === '{') depth += 1
    if (mark === '}') depth -= 1
    begin = index + 1
  }
  return found
}

test('styles hold by their floor, in whatever order their files are loaded', () => {
  const files = globSync('assets/*.css', { cwd: fileURLToPath(folder) })
  // Those of lists, and all others in one more file.
  assert.equal(files.length, 2)
  for (const file of files)
    assert.deepEqual(
      outsideOfBlocks(readBuilt(file).toString()),
      ['styles', 'parts', 'features', 'pages', 'app'].map((layer) => `@layer ${layer}`),
      file,
    )
})
