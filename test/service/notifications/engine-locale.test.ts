/** The default texts of the service are in the language of the locale of the project. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtInTemplate } from '../../../src/email/email-template.ts'
import { act, startEngine } from './an-engine.ts'

const recipient = { userFields: ['approver'] }
const rules = [
  { operation: 'create' as const, recipient },
  { operation: 'proceedToStep' as const, action: 'submit', recipient },
]

const locales: readonly [locale: string, titles: string[]][] = [
  [
    'de-AT',
    ['Neu: Request R-1', 'Request R-1: Ask for approval', 'Ihnen wurde eine Aufgabe zugewiesen'],
  ],
  ['hr', ['Novo: Request R-1', 'Request R-1: Ask for approval', 'Dodijeljen vam je zadatak']],
  ['fr', ['New: Request R-1', 'Request R-1: Ask for approval', 'Task assigned to you']],
]
for (const [locale, titles] of locales)
  test(`a project with the locale ${locale} has the title: ${titles[0]}`, async (t) => {
    const settings = { name: 'Engine', timeZone: 'Europe/Zagreb', locale }
    const engine = await startEngine(rules, {}, { 'docket.json': settings })
    t.after(() => engine.stop())
    const { anna } = engine.ids
    const id = await engine.create({ number: 'R-1', approver_id: anna })
    await engine.settled()
    await act(engine, id, { action: 'submit' })
    await engine.settled()
    const body = { assigne_id: anna }
    assert.equal((await engine.ask('POST', `/request/${id}/task`, { body })).status, 201)
    await engine.settled()
    const as = engine.mailOf('anna')
    const notifications = (
      await engine.ask('GET', '/api/notifications?sortOrder=asc', { as })
    ).json()
    assert.deepEqual(
      notifications.map(({ content }: { content: { title: string } }) => content.title),
      titles,
    )
  })

test('the built-in e-mail is in the language of the locale, or else in English', () => {
  assert.match(builtInTemplate('de'), />Öffnen</)
  assert.match(builtInTemplate('hr-HR'), />Otvori</)
  for (const locale of [undefined, 'fr', 'x']) assert.match(builtInTemplate(locale), />Open</)
})
