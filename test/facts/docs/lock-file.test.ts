/** Every package of the lock file has a checksum, except binaries of platforms on which no lock file was made. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

type Locked = {
  readonly integrity?: string
  readonly link?: boolean
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
}

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const { packages } = JSON.parse(read('package-lock.json')) as {
  packages: Readonly<Record<string, Locked>>
}
// The clone itself and its own packages are not in node_modules.
const unchecked = Object.entries(packages).filter(
  ([path, { integrity, link }]) =>
    path.startsWith('node_modules/') && !link && integrity === undefined,
)

test('every package that is installed on Linux with glibc on x64 or ARM has a checksum', () => {
  const platform = (locked: Locked, path: string) =>
    locked.optional === true &&
    (!locked.os?.includes('linux') ||
      !locked.cpu?.some((cpu) => cpu === 'x64' || cpu === 'arm64') ||
      /-musl$|typst-ts-node-compiler-linux-arm64-gnu$/.test(path))
  assert.deepEqual(
    unchecked.filter(([path, locked]) => !platform(locked, path)).map(([path]) => path),
    [],
  )
})

test('the documentation states how many packages lack one, and which', () => {
  const text = read('docs/dependencies.md')
  const [, count] = /lacks the checksums of (\d+) packages/.exec(text) ?? []
  assert.equal(Number(count), unchecked.length)
  const families = unchecked.map(([path]) =>
    path
      .replace('node_modules/', '')
      .replace(/^(@[^/]+\/(?:cli|typst-ts-node-compiler|binding)).*$/, '$1-*'),
  )
  for (const family of new Set(families)) assert.ok(text.includes(`\`${family}\``), family)
})
