/** Every example of the documentation works: curl lines are sent, definitions are loaded. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { loadProject } from '../../../src/definitions/load-project.ts'
import { printFinding } from '../../../src/definitions/source-file.ts'
import { loadSeeds } from '../../../src/seeding/load-seeds.ts'
import { parseCurlLines } from '../../support/curl.ts'
import {
  copyExample,
  startTestService,
  type TestService,
  writeProject,
} from '../../support/service.ts'

const root = new URL('../../../', import.meta.url)
const pages = [
  'README.md',
  ...readdirSync(new URL('docs', root))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
const textOf = (page: string) => readFileSync(new URL(page, root), 'utf8')

let service: TestService
before(async () => {
  service = await startTestService(await copyExample())
  const { project, database } = service
  await loadSeeds({ pool: database.pool, project, timeZone: 'UTC' })
})
after(() => service.stop())

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

for (const page of pages)
  for (const [index, [, source]] of [...textOf(page).matchAll(/```typ\n([\s\S]*?)```/g)].entries())
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
  assert.deepEqual(Object.keys(files).sort(), [
    'docket.json',
    'entities/building.json',
    'entities/complaint.json',
    'entities/customer.json',
    'entities/flat.json',
    'entities/lease.json',
    'entities/offer.json',
    'entities/quote.json',
    'entities/quote_item.json',
    'entities/ticket.json',
    'entities/user.json',
    'entities/visit.json',
    'roles/agent.json',
    'roles/planner.json',
    'seed/01-customer.json',
    'translations/de.json',
  ])
  const { findings } = await loadProject(await writeProject(files))
  assert.deepEqual(findings.map(printFinding), [])
})

test('every link between the pages points to a file', () => {
  for (const page of [...pages, 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'example/README.md'])
    for (const [, target = ''] of textOf(page).matchAll(/\]\((?!http)([^)#]+)/g))
      assert.doesNotThrow(
        () => readdirOrRead(new URL(target, new URL(page, root))),
        `${page} → ${target}`,
      )
})

const readdirOrRead = (url: URL) => {
  try {
    readFileSync(url)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error
  }
}
