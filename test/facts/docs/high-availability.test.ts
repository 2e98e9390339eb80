/** docs/high-availability.md shows the files that the package has, and that `npm run test:long -- cluster` runs. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { settings } from '../../../src/config/load-config.ts'
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

test('the settings of Docket beside a cluster exist', () => {
  const names = Object.keys(readEnvironment(read(`${folder}docket.env`)))
  assert.deepEqual(names, ['DATABASE_URL', 'DATABASE_DIRECT_URL'])
  for (const name of names) assert.ok(name in settings, name)
})
