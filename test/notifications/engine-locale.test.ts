/** What the service says by itself is in the language of the project's locale. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtInTemplate } from '../../src/email/email-template.ts'
import { act, startEngine } from './an-engine.ts'

const recipient = { userFields: ['approver'] }
const entries = [
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
  test(`a project of the locale ${locale} tells: ${titles[0]}`, async (t) => {
    const settings = { name: 'Engine', timeZone: 'Europe/Zagreb', locale }
    const engine = await startEngine(entries, {}, { 'docket.json': settings })
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
    const told = (await engine.ask('GET', '/api/notifications?sortOrder=asc', { as })).json()
    assert.deepEqual(
      told.map(({ content }: { content: { title: string } }) => content.title),
      titles,
    )
  })

test('the built-in e-mail speaks the language too, and English where it has none', () => {
  assert.match(builtInTemplate('de'), />Öffnen</)
  assert.match(builtInTemplate('hr-HR'), />Otvori</)
  for (const locale of [undefined, 'fr', 'x']) assert.match(builtInTemplate(locale), />Open</)
})
