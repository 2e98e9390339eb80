/** What an assignee is told of a task is in the language of the project's locale throughout: entity, choice and words of its own. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createAs } from '../../support/a-project.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'
import { startTestWorker } from '../../support/worker.ts'

const files = {
  'docket.json': { name: 'Flats', locale: 'de-DE', language: 'en', timeZone: 'UTC' },
  'entities/inspection.json': {
    ...{ key: 'inspection', name: 'Inspection', displayField: 'kind' },
    fields: [{ key: 'kind', type: 'enum', values: [{ value: 'boiler', name: 'Boiler' }, 'lift'] }],
  },
  'translations/de.json': {
    name: 'Wohnungen',
    entities: {
      inspection: { name: 'Prüfung', fields: { kind: { values: { boiler: 'Heizkessel' } } } },
    },
  },
}

let service: TestService
before(async () => {
  service = await startTestService(await writeProject(files))
})
after(() => service.stop())

test('in the inbox and in the calendar', async () => {
  const worker = await startTestWorker(service)
  after(() => worker.stop())
  const { id } = await createAs(service, 'inspection', { kind: 'boiler' })
  const due_date = '2027-03-04T08:00:00.000Z'
  const other = await createAs(service, 'inspection', { kind: 'lift' })
  for (const [at, description, past] of [
    [id, 'Kessel ablesen', due_date],
    [other.id, '', '2026-01-01T00:00:00.000Z'],
  ])
    await createAs(service, `inspection/${at}/task`, {
      ...{ description, assigne_id: 1, due_date: past },
    })
  const messages = await until('two notifications', async () => {
    const found = (await service.ask('GET', '/api/notifications')).json()
    return found.length === 2 && found.map(({ content }: { content: object }) => content)
  })
  const said = messages.map(({ message }: { message: string }) => message).sort()
  assert.deepEqual(said, [
    'Administrator: Eine Aufgabe (Prüfung lift)',
    'Administrator: Kessel ablesen (Prüfung Heizkessel)',
  ])
  const { url } = (await service.ask('POST', '/api/tasks/calendar')).json()
  const { pathname, search } = new URL(url)
  const calendar = await service.ask('GET', pathname + search, { as: null })
  const text = calendar.text.replaceAll('\r\n ', '')
  assert.match(text, /X-WR-CALNAME:Wohnungen: Administrator/)
  assert.match(text, new RegExp(`Kessel ablesen\\\\n\\\\nPrüfung ${id}`))
  assert.match(text, /SUMMARY:Eine Aufgabe/)
  assert.doesNotMatch(text, /inspection|Inspection|SUMMARY:Task/)
})
