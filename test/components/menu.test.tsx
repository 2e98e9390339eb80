/** The navigation in the order and the groups of the project, on every screen and in every language. */
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { type Opening, openConsole } from './support/open-console.tsx'
import { button, option } from './support/parts.ts'
import { see } from './support/record-form.ts'

const entity = (key: string, pluralName: string) => ({
  [`entities/${key}.json`]: { key, name: pluralName, pluralName, fields: [] },
})

const project = {
  'docket.json': {
    name: 'Houses',
    menu: {
      groups: [
        { key: 'daily', entities: ['request', 'task'] },
        { key: 'base', name: 'Master data', entities: ['house'] },
      ],
      hidden: ['line'],
    },
  },
  ...entity('house', 'Houses'),
  ...entity('line', 'Lines'),
  ...entity('handed_key', 'Keys'),
  ...entity('area', 'Yards'),
  ...entity('request', 'Requests'),
  'translations/de.json': {
    menu: { base: 'Stammdaten' },
    entities: {
      handed_key: { pluralName: 'Schlüssel' },
      area: { pluralName: 'Höfe' },
      request: { pluralName: 'Meldungen' },
      house: { pluralName: 'Häuser' },
    },
  },
}

const navigation = () => page.getByRole('navigation', { name: /Main navigation|Hauptnavigation/ })

/** Titles and links between the pages of the user and the administration. */
const shown = () =>
  [...(navigation().element().querySelector('.menu-links')?.querySelectorAll('p, a') ?? [])].map(
    (element) => `${element.tagName === 'P' ? '# ' : ''}${element.textContent}`,
  )

const open = (
  options: Opening = {}, // What the pointer is over is read before it is opened.
) => openConsole('/request/new', { project, records: { request: [] }, ...options })

test('groups come first, then the rest in alphabetical order; what is hidden is found by a search', async () => {
  await open()
  await see(navigation())
  await expect
    .poll(shown)
    .toEqual(['Requests', 'Tasks', '# Master data', 'Houses', 'Keys', 'Yards'])
  await see(navigation().getByRole('list', { name: 'Master data' }))
  await userEvent.keyboard('{Control>}k{/Control}')
  await page.getByRole('dialog').getByRole('combobox').fill('lin')
  await see(option('Lines'))
})

test('titles and the order are those of the language', async () => {
  await open({ locale: 'de-DE' })
  await see(navigation())
  await expect
    .poll(shown)
    .toEqual(['Meldungen', 'Aufgaben', '# Stammdaten', 'Häuser', 'Höfe', 'Schlüssel'])
})

test('the menu of a phone has the same groups', async () => {
  await open({ viewport: { width: 320, height: 640 } })
  await button('Open the navigation').click()
  await see(navigation().getByText('Master data'))
  await expect
    .poll(shown)
    .toEqual(['Requests', 'Tasks', '# Master data', 'Houses', 'Keys', 'Yards'])
})

test('a menu without groups is alphabetical by name, not by key', async () => {
  await open({
    project: { ...project, 'docket.json': { name: 'Houses' }, 'translations/de.json': {} },
  })
  await see(navigation())
  await expect.poll(shown).toEqual(['Houses', 'Keys', 'Lines', 'Requests', 'Yards'])
})
