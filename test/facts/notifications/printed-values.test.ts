/** What notifications say in the languages of projects: numbers and dates as docs/notifications.md has them, and default texts. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { builtInTemplate } from '../../../src/outbox/email/email-template.ts'
import { builtInTexts } from '../../../src/templates/built-in-texts.ts'
import { parseTemplate, renderTemplate } from '../../../src/templates/liquid-template.ts'

const page = readFileSync(new URL('../../../docs/notifications.md', import.meta.url), 'utf8')
const cells = (line: string) =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('`', '').replaceAll('\\|', '|'))
const [, section = ''] = page.split('### Numbers and dates\n')
const [head = [], , ...rows] = section
  .slice(0, section.indexOf('\n### '))
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map(cells)

const data = {
  record: {
    total: '1895.01',
    quantity: '1250.500',
    currency: { code: 'EUR' },
    needed_by: '2026-11-24',
    ordered_at: '2026-11-24T08:00:00.000Z',
  },
  names: { product: { unit: 'running metres' } },
}

for (const [index, locale] of head.slice(1).entries())
  test(`a project with the locale ${locale} writes what the table says`, () => {
    assert.ok(rows.length > 5)
    for (const [template = '', ...texts] of rows) {
      const reading = { locale, timeZone: 'Europe/Zagreb' }
      const text = renderTemplate(parseTemplate(template), data, reading)
      // Languages write spaces of several kinds.
      assert.equal(text.replaceAll(/[\u00a0\u202f]/g, ' '), texts[index], template)
    }
  })

test('default texts and the built-in e-mail are in the language of the project, or else in English', () => {
  for (const [locale, title, assigned, open] of [
    ['de-AT', 'Neu: R-1', 'Ihnen wurde eine Aufgabe zugewiesen', />Öffnen</],
    ['hr-HR', 'Novo: R-1', 'Dodijeljen vam je zadatak', />Otvori</],
    ['fr-FR', 'Création\u202f: R-1', 'Une tâche vous a été attribuée', />Ouvrir</],
    ...['pl', 'x', undefined].map(
      (other) => [other, 'New: R-1', 'Task assigned to you', />Open</] as const,
    ),
  ] as const) {
    const { create, task } = builtInTexts(locale)
    assert.deepEqual([create.title('R-1', ''), task.assigned], [title, assigned])
    assert.match(builtInTemplate(locale), open)
  }
})
