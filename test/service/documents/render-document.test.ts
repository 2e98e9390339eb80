/** Documents that the service renders for itself, and the errors of its limits. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { documentLimitsOf } from '../../../src/config/process-limits.ts'
import { getEntity } from '../../../src/definitions/catalog.ts'
import { type DocumentDeps, renderDocument } from '../../../src/documents/render-document.ts'
import { createTypstEngine } from '../../../src/documents/typst/typst-engine.ts'
import { errorKinds } from '../../../src/error-kinds.ts'
import { ApiError } from '../../../src/errors.ts'
import type { Observation } from '../../../src/observations.ts'
import { createOrder } from '../../support/a-project.ts'
import { readPdf } from '../../support/documents/read-pdf.ts'
import { askFor, shareDocuments } from './a-document-project.ts'

const service = await shareDocuments()
const order = await createOrder(service, { margin: '12.50' })

type Options = Partial<Parameters<typeof createTypstEngine>[0]>

/** Dependencies as the service creates them, except for the limits and the priority of the engine. */
const openDeps = (options: Options = {}) => {
  const { project, database } = service
  const observed: Observation[] = []
  const observe = (observation: Observation) => observed.push(observation)
  const timeZone = project.settings.timeZone ?? 'UTC'
  const limits = {
    ...documentLimitsOf(service.config),
    maxProcesses: 1,
    niceness: 0,
    timeoutMs: 200_000,
  }
  const engine = createTypstEngine({ timeZone, ...limits, ...options })
  const opened = service.runtime.documentsOn(database.pool)
  return { ...opened, observe, engine, observed, close: () => engine.close() }
}

const requestOf = (code: string, actorId: number | null = null) => {
  const entity = getEntity(service.project.catalog, 'order')
  return { code, entity, id: order.id, actorId }
}
const errorOf = async (deps: DocumentDeps, code: string): Promise<ApiError> => {
  const error = await renderDocument(deps, requestOf(code)).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof ApiError) return error
  throw new Error(`${code} ended with ${error}.`)
}

test('without a reader all fields are included, and without an actor there is none; missing scripts are told and logged', async () => {
  const deps = openDeps()
  const { pdf, filename } = await renderDocument(deps, requestOf('actor'))
  assert.equal(filename, `actor-${order.number}.pdf`)
  const { pages, language } = await readPdf(pdf)
  assert.deepEqual([pages, language], [['12.50 none'], 'de-AT'])
  const byAdministrator = await readPdf((await renderDocument(deps, requestOf('actor', 1))).pdf)
  assert.match(byAdministrator.pages.join(), /admin@example\.com/)
  // The actor may have been removed since.
  const byUnknown = await readPdf((await renderDocument(deps, requestOf('actor', 999_999))).pdf)
  assert.deepEqual(byUnknown.pages, ['12.50 none'])
  assert.deepEqual((await renderDocument(deps, requestOf('thai'))).unprinted, ['Thai', 'emoji'])
  await deps.close()
  const [observed, ...others] = deps.observed
  assert.deepEqual(others, [])
  assert.ok(observed?.kind === 'documentDoubtful')
  const { code, entity, id, doubts } = observed
  assert.deepEqual([code, entity, id], ['thai', 'order', order.id])
  assert.match(doubts.join('; '), /no font of the document has Thai \(/)
})

for (const [code, reason, options, text] of [
  ['endless', 'timed-out', { timeoutMs: 1_000 }, 'took longer than 1 s, so it was stopped'],
  [
    'bomb',
    'out-of-memory',
    { memoryBytes: 768 * 1_048_576 },
    'took more than 768 MiB, so it was stopped',
  ],
  ['breaks', 'crashed', {}, /^crashed the engine/],
] as const)
  test(`a document that is ${reason} is a 422 with the reason, and is logged; the process prints again`, async () => {
    const deps = openDeps(options)
    const { code: errorCode, message } = await errorOf(deps, code)
    assert.deepEqual([errorCode, errorKinds[errorCode].status], ['document.invalid', 422])
    const [observed, ...others] = deps.observed
    assert.ok(observed?.kind === 'documentEnded')
    assert.deepEqual([observed.code, observed.reason, others], [code, reason, []])
    if (typeof text === 'string') assert.equal(observed.text, text)
    else assert.match(observed.text, text)
    assert.equal(message, `The document "${code}" ${observed.text}.`)
    // A busy machine may take longer than that for any document.
    if (reason !== 'timed-out')
      assert.equal(
        (await renderDocument(deps, requestOf('actor'))).filename,
        `actor-${order.number}.pdf`,
      )
    await deps.close()
  })

test('too many simultaneous documents, or a service that stops, are a 503 with Retry-After', async () => {
  const full = openDeps({ maxWaiting: 0 })
  const stopped = openDeps()
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

test('today is the date in the time zone of the project', async () => {
  const dayIn = (timeZone: string) => new Date().toLocaleDateString('sv', { timeZone })
  const deps = openDeps({ timeZone: 'Pacific/Pago_Pago' })
  // They are 25 hours apart, so that they never share a date.
  for (const [timeZone, print] of [
    ['Pacific/Pago_Pago', async () => (await renderDocument(deps, requestOf('today'))).pdf],
    ['Pacific/Kiritimati', () => askFor(service, `/order/${order.id}/documents/today`)],
  ] as const) {
    const before = dayIn(timeZone)
    const printed = await print()
    const { pages } = await ('pdf' in printed ? printed.pdf() : readPdf(printed))
    assert.ok([before, dayIn(timeZone)].includes(pages.join()), `${pages} in ${timeZone}`)
  }
  await deps.close()
})
