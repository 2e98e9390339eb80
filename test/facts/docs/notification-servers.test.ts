/** docs/notification-servers.md names what exists: settings, commands, metrics, checks. test/feeds runs what it describes. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { loadConfig, settings } from '../../../src/config/load-config.ts'
import { feedCheck } from '../../../src/diagnosis/doctor/feed-check.ts'

const page = readFileSync(new URL('../../../docs/notification-servers.md', import.meta.url), 'utf8')

test('its settings exist, and have the form that the page shows', () => {
  for (const [name] of page.matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g)) assert.ok(name in settings, name)
  const shown = [...page.matchAll(/(FEED_DATABASE_\w*URL)="([^"]+)"/g)]
  assert.ok(shown.length > 3)
  for (const [, name = '', value = ''] of shown) {
    const url = value.replaceAll('…', 'docket@feed.internal')
    const read = loadConfig({ [name]: url })[name as 'FEED_DATABASE_URL']
    assert.equal(read?.size, url.split(' ').length)
  }
})

test('its commands and its check exist', async () => {
  for (const [, name = ''] of page.matchAll(/\bdocket ([a-z]+(?:-[a-z]+)*)/g))
    assert.ok(await import(`../../../src/cli/commands/${name}.ts`), name)
  assert.ok(page.includes(`*${feedCheck.name}*`))
})
