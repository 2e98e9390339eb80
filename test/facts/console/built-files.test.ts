/** The built files of the console: each can be loaded first, whatever page is opened. */
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { test } from 'node:test'

const folder = new URL('../../../dist/console/assets/', import.meta.url)
const importedFile = /\b(?:import|from)\s*["'`]\.\/([^"'`]+\.js)["'`]/g

const readImports = async (): Promise<ReadonlyMap<string, readonly string[]>> => {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.js'))
  const imports = files.map(async (file) => {
    const code = await readFile(new URL(file, folder), 'utf8')
    return [file, [...code.matchAll(importedFile)].map(([, name = '']) => name)] as const
  })
  return new Map(await Promise.all(imports))
}

/** The first circle that is found, as a chain of files. */
const findCircle = (imports: ReadonlyMap<string, readonly string[]>): string | undefined => {
  const ended = new Set<string>()
  const follow = (file: string, path: readonly string[]): string | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file].join(' > ')
    if (ended.has(file)) return undefined
    for (const next of imports.get(file) ?? []) {
      const circle = follow(next, [...path, file])
      if (circle) return circle
    }
    ended.add(file)
    return undefined
  }
  for (const file of imports.keys()) {
    const circle = follow(file, [])
    if (circle) return circle
  }
  return undefined
}

test('no file imports itself by way of others: it would find their values undefined', async () => {
  const imports = await readImports()
  assert.ok(imports.size > 50)
  assert.equal(findCircle(imports), undefined)
})

const styleLayers = ['styles', 'parts', 'features', 'pages', 'app']

test('styles hold by their floor, in whatever order their files are loaded', async () => {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.css'))
  // Those of lists, and all others in one more file.
  assert.equal(files.length, 2)
  for (const file of files) {
    const outside = outsideOfBlocks(await readFile(new URL(file, folder), 'utf8'))
    assert.deepEqual(
      outside.map((text) => /^@layer (\w+)$/.exec(text)?.[1] ?? text),
      styleLayers,
      file,
    )
  }
})

/** What stands before the blocks of styles that are in no other block, and the statements beside them. */
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
