/** docs/growing.md names what exists: settings, commands, metrics, alerts, checks, files, statements, and measured figures. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import type { Command } from '../../../src/cli/command.ts'
import { settings } from '../../../src/config/load-config.ts'
import { doctorChecks } from '../../../src/diagnosis/doctor/doctor-checks.ts'
import { addressChecks } from '../../../src/diagnosis/server/address-checks.ts'
import { trialChecks } from '../../../src/diagnosis/server/trial-checks.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'

const root = new URL('../../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const page = read('docs/growing.md')
const prose = page.replace(/```[\s\S]*?```/g, '')

const found = (text: string, pattern: RegExp) => {
  const names = new Set([...text.matchAll(pattern)].map(([whole, name = whole]) => name))
  assert.ok(names.size > 0, String(pattern))
  return [...names]
}
const blocks = (language: string) =>
  found(page, new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))

let service: TestService
before(async () => {
  service = await startTestService(await writeProject({ 'docket.json': {} }))
})
after(() => service.stop())

test('its settings exist', () => {
  for (const name of found(page, /\b[A-Z]+(?:_[A-Z]+)+\b/g)) assert.ok(name in settings, name)
})

test('its commands and their options exist', async () => {
  for (const line of blocks('sh').flatMap((block) => block.split('\n')))
    for (const [, name = '', rest = ''] of line.matchAll(/\bdocket ([a-z-]+)([^#&]*)/g)) {
      const { command } = (await import(`../../../src/cli/commands/${name}.ts`)) as {
        command: Command
      }
      for (const [, option = ''] of rest.matchAll(/--([a-z-]+)/g))
        assert.ok(option in command.options, line)
    }
  const { scripts } = JSON.parse(read('package.json'))
  for (const script of found(page, /npm run ([a-z:]+)/g)) assert.ok(script in scripts, script)
})

test('its metrics and alerts exist', async () => {
  const { text } = await service.ask('GET', '/api/metrics')
  const known = found(text, /^# TYPE (\w+)/gm)
  for (const name of found(prose, /\b(?:docket|nodejs)_[a-z0-9_]+/g))
    assert.ok(known.includes(name), name)
  const alerts = found(read('deploy/prometheus/docket-alerts.yaml'), /alert: (\w+)/g)
  for (const name of found(prose, /`(Docket[A-Z]\w+)`/g)) assert.ok(alerts.includes(name), name)
})

test('its checks of the database exist', () => {
  const known = [...doctorChecks, ...addressChecks, ...trialChecks].map(({ name }) => name)
  for (const name of found(prose, /(?<!\*)\*([a-z][a-z -]+)\*(?!\*)/g))
    assert.ok(known.includes(name), name)
})

test('its statements are valid', async () => {
  for (const statement of blocks('sql')) assert.ok(await service.database.pool.query(statement))
})

test('its manifests and the headings that it links to exist', () => {
  for (const path of found(
    prose,
    /`((?:container|systemd|kubernetes|prometheus|high-availability)\/[\w.-]+)`/g,
  ))
    assert.ok(existsSync(new URL(`deploy/${path}`, root)), path)
  for (const [, file = '', heading = ''] of page.matchAll(/\]\(((?!http)[^)#]*)#([^)]+)\)/g)) {
    const headings = read(file === '' ? 'docs/growing.md' : `docs/${file}`).matchAll(/^#+ (.*)$/gm)
    const anchors = [...headings].map(([, text = '']) => anchorOf(text))
    assert.ok(anchors.includes(heading), `${file}#${heading}`)
  }
})

const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\- _]/gu, '')
    .replaceAll(' ', '-')

test('its measured figures are those of the pages that say how they were measured', () => {
  const sources = `${read('docs/performance.md')}${read('docs/high-availability.md')}`
  const figure = /\d+(?:,\d{3})*(?:\.\d+)?/g
  const known = new Set(found(sources, figure))
  const tables = page.split('\n\n').filter((part) => /^\|.*\| Measured.*\| Command \|$/m.test(part))
  assert.ok(tables.length > 3)
  for (const line of tables.flatMap((table) => table.split('\n').slice(2))) {
    const [, work = '', measured = '', command = ''] = line.split('|')
    for (const one of found(`${work}${measured}`, figure))
      assert.ok(known.has(one), `${one}: ${line}`)
    const [, run] = /`(npm run bench \w+|npm run test:\w+)/.exec(command) ?? []
    assert.ok(command.trim() === 'the same' || (run && sources.includes(run)), line)
  }
})
