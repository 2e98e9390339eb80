/** Users have their names also for roles that do not read users: in records, lists, filters, forms, histories and what was removed. */
import { describe, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { pageOf, problem } from './support/answers.ts'
import { listedWhere } from './support/filters.ts'
import { actionsAnswer, entryOf } from './support/given.ts'
import { openConsole } from './support/open-console.tsx'
import { button, cell, heading } from './support/parts.ts'
import { see } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const errand = { create: true, read: true, update: true, delete: true, export: true }
const user = (key: string, name: string, more: object = {}) => ({
  key,
  name,
  type: 'manyToOne',
  entity: 'user',
  ...more,
})
const project = {
  'docket.json': { name: 'Errands', locale: 'en' },
  'entities/errand.json': {
    key: 'errand',
    name: 'Errand',
    pluralName: 'Errands',
    displayField: 'title',
    ownership: true,
    fields: [
      { key: 'title', name: 'Title', type: 'string', required: true },
      user('asked_by', 'Asked by'),
      user('checked_by', 'Checked by', { required: true }),
    ],
  },
  'roles/caretaker.json': { key: 'caretaker', permissions: { errand } },
  'roles/reader.json': { key: 'reader', permissions: { errand: { read: true } } },
}
const [maria, kurt] = [
  { id: 4, full_name: 'Maria Lehmann' },
  { id: 1, full_name: 'caretaker' },
]
const row = {
  id: 7,
  title: 'Cellar',
  asked_by_id: 4,
  asked_by: maria,
  checked_by_id: 4,
  checked_by: maria,
  _owned_by: 4,
  owned_by: maria,
  created_by: kurt,
  _updated_by: 4,
  updated_by: maria,
  _updated_at: '2026-05-04T08:30:00.000Z',
}
const groups = [{ key: { asked_by_id: 4, 'asked_by.full_name': 'Maria Lehmann' }, count: 1 }]
const found = { data: [row], next: null, previous: null, total: 1 }
const answers = {
  'POST /errand/search': { body: { ...found, groups, groupsAreComplete: true } },
}
const open = (path: string, options: object = {}) =>
  openConsole(path, { project, role: 'caretaker', records: { errand: [row] }, answers, ...options })
const cells = (text: string) => cell(text)

describe('a role that reads no users', () => {
  test('sees their names in a list, and filters by them', async () => {
    const service = await open('/errand')
    await see(cells('Maria Lehmann').first())
    expect(cell('4').elements()).toEqual([])
    const asked = service.asked.find(({ path }) => path === '/errand/search')
    expect(JSON.stringify(asked?.body)).toContain('asked_by.full_name')
    expect(await findViolations()).toEqual([])
  })

  test('reads a filter by an id with its name, and one by a name as a text', async () => {
    const where = { asked_by: 4, '_owned_by.full_name': { $contains: 'Mar' } }
    const service = await open(`/errand?w=${encodeURIComponent(JSON.stringify(where))}`)
    await see(button(/Change the filter Asked by .*Maria Lehmann/))
    await see(button(/Change the filter Owner .*Mar/))
    await expect.poll(() => listedWhere(service, 'errand')).toBeTruthy()
  })

  test('sees them on the page of a record, where it cannot choose others', async () => {
    await open('/errand/7', {
      answers: {
        ...answers,
        'GET /errand/7/history': pageOf([
          entryOf(1, {
            changes: { asked_by_id: { before: 5, after: 4 } },
            users: [maria, { id: 5, full_name: 'Ana Horvat' }],
          }),
        ]),
      },
    })
    await see(page.getByText('Owner: Maria Lehmann'))
    for (const name of ['Asked by', 'Checked by'])
      await expect.element(page.getByLabelText(name)).toHaveTextContent('Maria Lehmann')
    const history = page.getByRole('complementary', { name: 'History' })
    await see(history.getByText('Asked by: Ana Horvat Maria Lehmann'))
  })

  test('is asked in a form only for what it can give, and told why it cannot give the rest', async () => {
    await open('/errand/new')
    await see(page.getByLabelText('Title'))
    expect(page.getByText('Asked by').elements()).toEqual([])
    await expect
      .element(page.getByLabelText('Checked by'))
      .toHaveTextContent('Your role cannot choose one.')
    expect(await findViolations()).toEqual([])
  })
})

describe('a record that was removed', () => {
  const gone = {
    ...answers,
    'GET /errand/7': () => problem(404, 'record.unknown', 'There is no errand 7.'),
  }

  test('says what it was, who removed it and when, and comes back', async () => {
    await open('/errand/7', { answers: gone })
    await see(heading('Cellar'), page.getByText('Maria Lehmann · 4 May 2026'))
    await expect.element(page.getByLabelText('Asked by')).toHaveTextContent('Maria Lehmann')
    await see(button('Restore'))
    expect(await findViolations()).toEqual([])
  })

  test('does not come back while a step locks it, which it says', async () => {
    const step = { key: 'closed', name: 'Closed' }
    const locked = actionsAnswer({ lockedFields: [{ key: 'title', through: 'asked_by', step }] })
    await open('/errand/7', { answers: { ...gone, 'GET /errand/7/actions': locked } })
    await see(
      page.getByText('This record is locked through “Asked by”, which is in the step “Closed”.'),
    )
    expect(button('Restore').elements()).toEqual([])
  })

  test('says it to those, too, who cannot bring it back', async () => {
    await open('/errand/7', { role: 'reader', answers: gone })
    await see(heading('Cellar'), page.getByText('This record was removed.'))
    expect(button('Restore').elements()).toEqual([])
  })
})
