/** Pages name what exists: settings, commands, checks, files of the package, and packages without a checksum. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { loadConfig, settings } from '../../../src/config/load-config.ts'
import { readEnvironment } from '../../long/cluster/place-settings.ts'

const root = new URL('../../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const folder = 'deploy/high-availability/'

test('docs/high-availability.md shows every file of deploy/high-availability, word for word', () => {
  const page = read('docs/high-availability.md')
  const blocks = [...page.matchAll(/```\w*\n([\s\S]*?)```/g)].map(([, text]) => text)
  for (const name of readdirSync(new URL(folder, root)))
    assert.ok(blocks.includes(read(`${folder}${name}`)), name)
})

test('the settings of Docket next to a cluster exist', () => {
  const names = Object.keys(readEnvironment(read(`${folder}docket.env`)))
  assert.deepEqual(names, ['DATABASE_URL', 'DATABASE_DIRECT_URL'])
  for (const name of names) assert.ok(name in settings, name)
})

test('the blocks of settings of docs/deploy.md are accepted at a start', () => {
  const page = read('docs/deploy.md').replaceAll(/^ {3}/gm, '')
  const blocks = [...page.matchAll(/```sh\n((?:[A-Z][A-Z_]*=.*\n)+)```/g)]
  assert.ok(blocks.length > 2)
  for (const [, block = ''] of blocks) {
    const given = readEnvironment(block.replaceAll('…', 'secret').replaceAll(/ +#.*$/gm, ''))
    for (const name of Object.keys(given)) assert.ok(name in settings, name)
    assert.ok(loadConfig(given))
  }
})

test('every test that docs/security.md names exists, and every row of its tables names one', () => {
  const rows = read('docs/security.md')
    .split('\n')
    .filter((line) => /^\| \d/.test(line))
  assert.ok(rows.length > 30)
  for (const row of rows) {
    const shown = [...row.matchAll(/`([\w./-]+\.test\.tsx?)`/g)].map(([, path = '']) => path)
    assert.ok(shown.length > 0, row)
    for (const path of shown) assert.ok(existsSync(new URL(`test/${path}`, root)), path)
  }
})

type Locked = {
  readonly integrity?: string
  readonly link?: boolean
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
}

const packages: Readonly<Record<string, Locked>> = JSON.parse(read('package-lock.json')).packages
// The clone itself and its own packages are not in node_modules.
const unchecked = Object.entries(packages).filter(
  ([path, { integrity, link }]) =>
    path.startsWith('node_modules/') && !link && integrity === undefined,
)

test('every package that is installed on Linux with glibc on x64 or ARM has a checksum', () => {
  // Binaries of platforms on which no lock file was made.
  const isOther = ([path, { optional, os, cpu }]: readonly [string, Locked]) =>
    optional === true &&
    (!os?.includes('linux') ||
      !cpu?.some((one) => one === 'x64' || one === 'arm64') ||
      /-musl$|typst-ts-node-compiler-linux-arm64-gnu$/.test(path))
  assert.deepEqual(
    unchecked.filter((one) => !isOther(one)).map(([path]) => path),
    [],
  )
})

test('docs/dependencies.md states how many packages lack a checksum, and which', () => {
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
