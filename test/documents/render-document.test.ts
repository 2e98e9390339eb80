/** Documents as the service makes them for itself, what their limits become, and what goes on meanwhile. */
import assert from 'node:assert/strict'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { documentLimitsOf } from '../../src/config/process-limits.ts'
import { getEntity } from '../../src/definitions/catalog.ts'
import { type DocumentDeps, renderDocument } from '../../src/documents/render-document.ts'
import { createTypstEngine } from '../../src/documents/typst/typst-engine.ts'
import { errorKinds } from '../../src/error-kinds.ts'
import { ApiError } from '../../src/errors.ts'
import type { Observation } from '../../src/observations.ts'
import { createOrder, users } from '../support/a-project.ts'
import type { TestService } from '../support/service.ts'
import { askFor, startDocumentProject } from './a-document-project.ts'
import { readPdf } from './read-pdf.ts'

const endless = '#for a in range(1000000) { for b in range(1000000) { let c = a + b } }'
const sources = {
  endless,
  bomb: '#for a in range(100000000) [a]',
  breaks: '#('.repeat(200_000),
  thai: 'ก and #("\u{1F600}")',
  today: '#datetime.today().display()',
  order: '#let (record, actor) = json("data.json")\n#record.margin #repr(actor)',
}

let service: TestService
let order: { id: number; number: string }
before(async () => {
  service = await startDocumentProject(
    { 'changing.typ': 'One' },
    [
      { code: 'changing', entity_key: 'order', template_file: 'changing.typ' },
      ...Object.entries(sources).map(([code, template_source]) => ({
        ...{ code, entity_key: 'order', template_source },
      })),
    ],
    { 'docket.json': { name: 'Documents', timeZone: 'Pacific/Kiritimati', locale: 'hr-HR' } },
  )
  order = await createOrder(service, { margin: '12.50' })
})
after(() => service.stop())

type Options = Partial<Parameters<typeof createTypstEngine>[0]>

/** Parts as the service opens them, but for the limits of the engine. */
const openParts = (options: Options = {}) => {
  const { project, database } = service
  const observed: Observation[] = []
  const observe = (observation: Observation) => observed.push(observation)
  const timeZone = project.settings.timeZone ?? 'UTC'
  const limits = { ...documentLimitsOf(service.config), maxProcesses: 1 }
  const engine = createTypstEngine({ timeZone, ...limits, ...options })
  const opened = service.runtime.documentsOn(database.pool)
  return { ...opened, observe, engine, observed, close: () => engine.close() }
}

const wish = (code: string, actorId: number | null = null) => {
  const entity = getEntity(service.project.catalog, 'order')
  return { code, entity, id: order.id, actorId }
}
const errorOf = async (deps: DocumentDeps, code: string): Promise<ApiError> => {
  const error = await renderDocument(deps, wish(code)).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof ApiError) return error
  throw new Error(`${code} ended with ${error}.`)
}

test('letters that no font has are told to the log, with the document', async () => {
  const deps = openParts()
  assert.ok((await renderDocument(deps, wish('thai'))).pdf.byteLength > 0)
  await deps.close()
  const [observed, ...others] = deps.observed
  assert.deepEqual(others, [])
  assert.ok(observed?.kind === 'documentDoubtful')
  const { code, entity, id, doubts } = observed
  assert.deepEqual([code, entity, id], ['thai', 'order', order.id])
  assert.match(doubts.join('; '), /could not be displayed/)
})

test('without a reader everything is seen, and nobody asks unless somebody is named', async () => {
  const deps = openParts()
  const { pdf, filename } = await renderDocument(deps, wish('order'))
  assert.equal(filename, `order-${order.number}.pdf`)
  const { pages, language } = await readPdf(pdf)
  assert.deepEqual([pages, language], [['12.50 none'], 'hr-HR'])
  const byAdmin = await readPdf((await renderDocument(deps, wish('order', 1))).pdf)
  assert.match(byAdmin.pages.join(), /admin@example\.com/)
  // Whoever acted may have been removed since.
  const byNobody = await readPdf((await renderDocument(deps, wish('order', 999_999))).pdf)
  assert.deepEqual(byNobody.pages, ['12.50 none'])
  await deps.close()
})

for (const [code, reason, options, text] of [
  ['endless', 'timed-out', { timeoutMs: 8000 }, 'took longer than 8 s, so it was stopped'],
  [
    'bomb',
    'out-of-memory',
    { memoryBytes: 768 * 1_048_576 },
    'took more than 768 MiB, so it was stopped',
  ],
  ['breaks', 'crashed', {}, /^crashed the engine/],
] as const)
  test(`a document that is ${reason} is a 422 that says so, is told to the log, and the next prints`, async () => {
    const deps = openParts(options)
    const { code: fault, message } = await errorOf(deps, code)
    assert.deepEqual([fault, errorKinds[fault].status], ['document.invalid', 422])
    const [told, ...others] = deps.observed
    assert.ok(told?.kind === 'documentEnded')
    assert.deepEqual([told.code, told.reason, others], [code, reason, []])
    if (typeof text === 'string') assert.equal(told.text, text)
    else assert.match(told.text, text)
    assert.equal(message, `The document "${code}" ${told.text}.`)
    assert.equal((await renderDocument(deps, wish('order'))).filename, `order-${order.number}.pdf`)
    await deps.close()
  })

test('too many at once, or a service that stops, is a 503 to come back after', async () => {
  const full = openParts({ maxWaiting: 0 })
  const stopped = openParts()
  await stopped.close()
  for (const [deps, text] of [
    [full, 'The document "order" waits behind 0 others, so it was not rendered.'],
    [stopped, 'The document "order" was cancelled because the service stops.'],
  ] as const) {
    const { code, message, headers } = await errorOf(deps, 'order')
    assert.deepEqual([code, message], ['request.saturated', text])
    assert.equal(errorKinds[code].status, 503)
    assert.deepEqual(headers, { 'Retry-After': '5' })
    assert.deepEqual(deps.observed, [])
  }
  await full.close()
})

test('today is the day in the time zone of the project', async () => {
  const dayIn = (timeZone: string) => new Date().toLocaleDateString('sv', { timeZone })
  // They are 25 hours apart, so that they never share a day.
  for (const timeZone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
    const deps = openParts({ timeZone })
    const before = dayIn(timeZone)
    const { pages } = await readPdf((await renderDocument(deps, wish('today'))).pdf)
    assert.ok([before, dayIn(timeZone)].includes(pages.join()), `${pages} in ${timeZone}`)
    await deps.close()
  }
})

test('a template that was changed, removed and made again counts at the next request', async () => {
  const folder = join(service.project.directory, 'printable-documents')
  const ask = () => askFor(service, `/order/${order.id}/documents/changing`)
  const pages = async () => (await (await ask()).pdf()).pages.join()
  assert.equal(await pages(), 'One')
  await writeFile(join(folder, 'changing.typ'), 'Two')
  assert.equal(await pages(), 'Two')
  await rm(folder, { recursive: true })
  assert.equal((await ask()).status, 422)
  await mkdir(folder)
  await writeFile(join(folder, 'changing.typ'), 'Three')
  assert.equal(await pages(), 'Three')
})

// The last one, for it leaves a process that is busy until the service stops.
test('while a template does not end, records are read and other documents printed', async () => {
  let hasEnded = false
  const end = () => {
    hasEnded = true
  }
  askFor(service, `/order/${order.id}/documents/endless`).then(end, end)
  for (let n = 0; n < 20; n++)
    assert.equal((await service.ask('GET', `/order/${order.id}`, { as: users.buyer })).status, 200)
  for (let n = 0; n < 5; n++)
    assert.equal((await askFor(service, `/order/${order.id}/documents/order`)).status, 200)
  assert.equal(hasEnded, false)
})
