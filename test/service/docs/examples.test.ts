/** Every example of the documentation works, and what it names exists: curl lines, definitions, metrics, commands, open paths, figures. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { Command } from '../../../src/cli/command.ts'
import { settings } from '../../../src/config/load-config.ts'
import { loadProject } from '../../../src/definitions/load-project.ts'
import { printFinding } from '../../../src/definitions/source-file.ts'
import { addressChecks } from '../../../src/diagnosis/address-checks.ts'
import { doctorChecks } from '../../../src/diagnosis/doctor-checks.ts'
import { trialChecks } from '../../../src/diagnosis/trial-checks.ts'
import { openSeededExample } from '../../support/a-seeded-example.ts'
import { opened } from '../../support/afterwards.ts'
import { parseCurlLines } from '../../support/curl.ts'
import { startTestService, writeProject } from '../../support/service.ts'

const root = new URL('../../../', import.meta.url)
const pages = [
  'README.md',
  ...readdirSync(new URL('docs', root))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
const textOf = (page: string) => readFileSync(new URL(page, root), 'utf8')

const service = opened(async () => {
  const { directory, database } = await openSeededExample()
  return startTestService(directory, {}, database)
})

const shellBlocks = (text: string) =>
  [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block)

for (const page of pages) {
  const blocks = shellBlocks(textOf(page)).filter((block) => block.includes('curl '))
  for (const [index, block] of blocks.entries())
    test(`the curl lines of ${page}, block ${index + 1}, are answered with success`, async () => {
      const variables = { BASE: service.url, TOKEN: await service.tokenOf() }
      const lines = parseCurlLines(block, variables)
      assert.notEqual(lines.length, 0)
      for (const { url, method, headers, body } of lines) {
        const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) })
        const text = await response.text()
        assert.ok(response.ok, `${method} ${url}: ${response.status} ${text.slice(0, 500)}`)
        // A 204 has no body.
        assert.equal(text === '', response.status === 204)
      }
    })
}

test('the site buyer of the example sees the orders of the site, with their lines and receipts', async () => {
  const countAs = async (as: string, entity: string, $where: object = {}) => {
    const body = { $where, $select: ['id'], $count: true }
    return (await service.ask('POST', `/${entity}/search`, { as, body })).json(200).total
  }
  const seen = { as: 'edo@example.com', administrator: 'admin@example.com' }
  for (const [entity, path] of [
    ['purchase_order', 'deliver_to'],
    ['purchase_order_line', 'order.deliver_to'],
    ['goods_receipt', 'order.deliver_to'],
  ] as const) {
    const found = await countAs(seen.as, entity)
    assert.equal(found, await countAs(seen.administrator, entity, { [path]: 'rijeka' }), entity)
    assert.ok(found > 0 && found < (await countAs(seen.administrator, entity)), entity)
  }
})

/** Those that a mark makes files of a project are run with it. */
const templatesOf = (text: string) => [...text.matchAll(/(?<!-->\n)```typ\n([\s\S]*?)```/g)]

for (const page of pages)
  for (const [index, [, source]] of templatesOf(textOf(page)).entries())
    test(`the template ${index + 1} of ${page} prints an order`, async () => {
      const code = `docs-${page.replaceAll(/\W/g, '-')}-${index}`
      const body = { code, name: code, entity_key: 'purchase_order', template_source: source }
      assert.equal((await service.ask('POST', '/printable_document', { body })).status, 201)
      const reply = await service.ask('GET', `/purchase_order/2999/documents/${code}`)
      assert.equal(reply.status, 200, reply.text.slice(0, 500))
    })

test('the definitions of the documentation make one project without findings', async () => {
  const files: Record<string, string> = {}
  for (const page of pages)
    for (const [, path = '', json = ''] of textOf(page).matchAll(
      /<!-- project (\S+) -->\n```json\n([\s\S]*?)```/g,
    ))
      files[path] = json
  assert.equal(Object.keys(files).length, 27)
  const { findings } = await loadProject(await writeProject(files))
  assert.deepEqual(findings.map(printFinding), [])
})

test('every link between the pages points to a file', () => {
  for (const page of [...pages, 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'example/README.md'])
    for (const [, target = ''] of textOf(page).matchAll(/\]\((?!http)([^)#]+)/g))
      assert.ok(existsSync(new URL(target, new URL(page, root))), `${page} → ${target}`)
})

test('docs/roles.md lists every path that needs no token, and no other', async () => {
  const [sentence = ''] =
    /^These paths need no token:[\s\S]*?Every other path/m.exec(textOf('docs/roles.md')) ?? []
  const named = [...sentence.matchAll(/`((?:[A-Z]+ )?\/[^`]*)`/g)].map(([, path = '']) => path)
  type Paths = Record<string, Record<string, { readonly security?: readonly object[] }>>
  const { paths }: { paths: Paths } = (await service.ask('GET', '/api/openapi.json')).json()
  // That these are open, and the others are not: service/doors/callers.
  const open = Object.entries(paths).flatMap(([path, operations]) => {
    const methods = Object.entries(operations).filter(([, one]) => one.security?.length === 0)
    if (methods.length === Object.keys(operations).length) return [path]
    return methods.map(([method]) => `${method.toUpperCase()} ${path}`)
  })
  // Pages of a sign-in at an issuer.
  open.push('/console/-/login', '/console/-/callback')
  assert.deepEqual(named.toSorted(), open.toSorted())
})

const found = (text: string, pattern: RegExp) => {
  const names = new Set([...text.matchAll(pattern)].map(([whole, name = whole]) => name))
  assert.ok(names.size > 0, String(pattern))
  return [...names]
}

test('every metric of the alerts and of the docs exists', async () => {
  const { text } = await service.ask('GET', '/api/metrics')
  const known = found(text, /^# TYPE (\w+)/gm)
  const table =
    textOf('docs/operations.md')
      .match(/^\| `docket_.*$/gm)
      ?.join('\n') ?? ''
  const alerts = textOf('deploy/prometheus/docket-alerts.yaml')
  for (const content of [table, alerts, withoutCode(textOf('docs/growing.md'))])
    for (const name of found(content, /\b(?:docket|nodejs)_[a-z0-9_]+/g))
      assert.ok(
        [name, name.replace(/_(bucket|count|sum)$/, '')].some((one) => known.includes(one)),
        name,
      )
  const named = found(alerts, /alert: (\w+)/g)
  for (const name of found(textOf('docs/growing.md'), /`(Docket[A-Z]\w+)`/g))
    assert.ok(named.includes(name), name)
})

const withoutCode = (page: string) => page.replace(/```[\s\S]*?```/g, '')

describe('docs/growing.md names what exists', () => {
  const page = textOf('docs/growing.md')
  const prose = withoutCode(page)
  const blocks = (language: string) =>
    found(page, new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))

  test('settings', () => {
    for (const name of found(page, /\b[A-Z]+(?:_[A-Z]+)+\b/g)) assert.ok(name in settings, name)
  })

  test('commands and their options', async () => {
    for (const line of blocks('sh').flatMap((block) => block.split('\n')))
      for (const [, name = '', rest = ''] of line.matchAll(/\bdocket ([a-z-]+)([^#&]*)/g)) {
        const { command } = (await import(`../../../src/cli/commands/${name}.ts`)) as {
          command: Command
        }
        for (const [, option = ''] of rest.matchAll(/--([a-z-]+)/g))
          assert.ok(option in command.options, line)
      }
    const { scripts } = JSON.parse(textOf('package.json'))
    for (const script of found(page, /npm run ([a-z:]+)/g)) assert.ok(script in scripts, script)
  })

  test('checks of the database', () => {
    const known = [...doctorChecks, ...addressChecks, ...trialChecks].map(({ name }) => name)
    for (const name of found(prose, /(?<!\*)\*([a-z][a-z -]+)\*(?!\*)/g))
      assert.ok(known.includes(name), name)
  })

  test('valid statements', async () => {
    for (const statement of blocks('sql')) assert.ok(await service.database.pool.query(statement))
  })

  test('manifests, and headings that it links to', () => {
    for (const path of found(
      prose,
      /`((?:container|systemd|kubernetes|prometheus|high-availability)\/[\w.-]+)`/g,
    ))
      assert.ok(existsSync(new URL(`deploy/${path}`, root)), path)
    for (const [, file = '', heading = ''] of page.matchAll(/\]\(((?!http)[^)#]*)#([^)]+)\)/g)) {
      const headings = textOf(`docs/${file || 'growing.md'}`).matchAll(/^#+ (.*)$/gm)
      const anchors = [...headings].map(([, text = '']) => anchorOf(text))
      assert.ok(anchors.includes(heading), `${file}#${heading}`)
    }
  })

  const anchorOf = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-')

  test('measured figures of the pages that say how they were measured', () => {
    const sources = `${textOf('docs/performance.md')}${textOf('docs/high-availability.md')}`
    const figure = /\d+(?:,\d{3})*(?:\.\d+)?/g
    const known = new Set(found(sources, figure))
    const tables = page
      .split('\n\n')
      .filter((part) => /^\|.*\| Measured.*\| Command \|$/m.test(part))
    assert.ok(tables.length > 3)
    for (const line of tables.flatMap((table) => table.split('\n').slice(2))) {
      const [, work = '', measured = '', command = ''] = line.split('|')
      for (const one of found(`${work}${measured}`, figure))
        assert.ok(known.has(one), `${one}: ${line}`)
      const [, run] = /`(npm run bench \w+|npm run test:\w+)/.exec(command) ?? []
      assert.ok(command.trim() === 'the same' || (run && sources.includes(run)), line)
    }
  })
})
