/** How much a browser loads before it can show a page, by what the build says that the page needs: few files, and small ones. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'

const maxFiles = 8
const maxFirstBytes = 150_000
const maxFurtherFiles = 5

const folder = new URL('../../../dist/console/', import.meta.url)
const readBuilt = (path: string): Buffer => readFileSync(new URL(path, folder))

/** A chunk, as Vite describes it. */
type Chunk = {
  readonly file: string
  readonly css?: readonly string[]
  readonly imports?: readonly string[]
  readonly dynamicImports?: readonly string[]
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
  Object.keys(manifest).find((key) => key.startsWith(`_${part}-`)) ?? part

/** The files of modules, of all that they import, and of their texts in the language of most users. */
const neededBy = (...modules: readonly string[]): ReadonlySet<string> => {
  const seen = new Set<string>()
  const files = new Set<string>()
  const add = (key: string): void => {
    if (seen.has(key)) return
    seen.add(key)
    const { file, css = [], imports = [], dynamicImports = [] } = chunkOf(key)
    for (const one of [file, ...css]) files.add(one)
    const texts = dynamicImports.filter((one) => one.startsWith('_texts-en-'))
    for (const one of [...imports, ...texts]) add(one)
  }
  for (const key of modules) add(key)
  return files
}

const bytesOf = (files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + gzipSync(readBuilt(file)).length, 0)

// The page names one script that no module imports.
const entry = 'index.html'
const start = 'assets/start.js'
const first = [start, ...neededBy(entry)]

describe('the first load', () => {
  test('a list needs few files, which are small together', () => {
    assert.ok(first.length <= maxFiles, `A list needs ${first.join(', ')}.`)
    assert.ok(bytesOf(first) <= maxFirstBytes, `A list needs ${bytesOf(first)} bytes.`)
    assert.deepEqual(
      first.filter((file) => !/\.(js|css)$/.test(file)),
      [],
    )
  })

  test('the page names all of them, and nothing from elsewhere', () => {
    const html = readBuilt('index.html').toString()
    const named = [...html.matchAll(/(?:src|href)="\/?([^"]+)"/g)].map(([, file]) => file)
    assert.deepEqual(named.toSorted(), first.toSorted())
  })

  test('browsers compile its scripts while they come', () => {
    const scripts = first.filter((file) => /-.*\.js$/.test(file))
    const hinted = scripts.filter((file) =>
      readBuilt(file).toString().startsWith('//# allFunctionsCalledOnLoad\n'),
    )
    // What only joins them has next to no functions.
    assert.equal(hinted.length, scripts.length - 1, hinted.join(', '))
  })

  const parts = [
    ['record', 75_000],
    ['work', 125_000],
    ['administration', 155_000],
  ] as const
  for (const [part, maxBytes] of parts)
    test(`a page of ${part} needs few files more, which are small together`, () => {
      const further = [...neededBy(keyOf(part))].filter((file) => !first.includes(file))
      assert.ok(further.length > 0 && further.length <= maxFurtherFiles, further.join(', '))
      assert.ok(bytesOf(further) <= maxBytes, `${part} adds ${bytesOf(further)} bytes.`)
    })

  test('parts need only those before them, and there are few', () => {
    const needed = parts.map(([part]) => {
      const { imports = [] } = manifest[keyOf(part)] ?? {}
      return parts.map(([one]) => one).filter((one) => imports.includes(keyOf(one)))
    })
    assert.deepEqual(needed, [[], ['record'], ['record', 'work']])
    assert.ok(Object.values(manifest).length <= 25)
  })
})
