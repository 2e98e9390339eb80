/** A user whose change puts a record out of their own sight: the page, the list and the bulk write say that it was saved. */
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { entityFile, namedRole } from '../support/definitions/files.ts'
import { type Answers, problem } from './support/answers.ts'
import { bulkWithout } from './support/given.ts'
import { openConsole } from './support/open-console.tsx'
import { button, dialogOf } from './support/parts.ts'
import { gone, input, see, wrote } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const saved = 'Saved. Your role can no longer read this record.'
const project = {
  'docket.json': { name: 'Desk', locale: 'en-GB' },
  ...entityFile('ticket', { name: 'Ticket', pluralName: 'Tickets', displayField: 'title' }, [
    { key: 'title', name: 'Title', type: 'string', required: true },
    { key: 'team', name: 'Team', type: 'string' },
  ]),
  ...namedRole('Agent', {
    ticket: { read: true, create: true, update: true, conditions: { read: { team: 'north' } } },
  }),
}

/** A service in which the agent reads the tickets until one is given to another team, with an empty answer. */
const open = async (path: string) => {
  let isSeen = true
  const give = () => {
    isSeen = false
    return { headers: { ETag: '"2"' }, body: {} }
  }
  const unlessGiven: Answers[string] = async (_asked, usual) =>
    isSeen ? usual() : problem(404, 'record.unknown', 'There is no ticket 1.')
  const none = { data: [], next: null, previous: null, total: 0 }
  const service = await openConsole(path, {
    project,
    role: 'agent',
    records: { ticket: [{ id: 1, title: 'Broken', team: 'north' }] },
    settings: { 'known.cells': true },
    answers: {
      'GET /ticket/1': unlessGiven,
      'GET /ticket/1/actions': unlessGiven,
      'GET /ticket/1/history': unlessGiven,
      'POST /ticket/search': async (_asked, usual) => (isSeen ? usual() : { body: none }),
      'PATCH /ticket/1': give,
      'POST /ticket/bulk': (asked) => {
        const { dryRun } = asked.body as { dryRun?: boolean }
        if (!dryRun) give()
        return bulkWithout()(asked)
      },
      'POST /ticket': () => ({ ...give(), status: 201 }),
    },
  })
  return service
}

test('the page of the record says so, and keeps nothing that was typed', async () => {
  const service = await open('/ticket/1')
  await input('Team').fill('south')
  await button('Save').click()
  await see(page.getByText(saved), page.getByRole('main').getByRole('link', { name: 'Tickets' }))
  await wrote(service, 'PATCH /ticket/1', { team: 'south' })
  await gone(page.getByRole('alert'))
  expect(await findViolations()).toEqual([])
})

test('the list says so below it, marks the row and offers no undo', async () => {
  await open('/ticket')
  await page.getByRole('gridcell', { name: 'north' }).dblClick()
  await page.getByLabelText('Team of Broken').fill('south')
  await userEvent.keyboard('{Enter}')
  await see(page.getByText(saved), page.getByText('no longer readable'))
  await gone(button('Undo'))
  await gone(page.getByText('removed', { exact: true }))
})

test('a bulk write says how many', async () => {
  await open('/ticket')
  await page.getByRole('checkbox', { name: 'Select Broken' }).click()
  await button('Change a field …').click()
  const dialog = dialogOf('Change a field')
  await dialog.getByLabelText('Field').selectOptions('Team')
  await dialog.getByLabelText('Team', { exact: true }).fill('south')
  await dialog.getByRole('button', { name: 'Check' }).click()
  await button('Change 1 record').click()
  await see(
    page.getByText('Done: 1 record.'),
    page.getByText('Your role can no longer read 1 record.'),
  )
})

test('a new record that its creator may not read leaves the form empty', async () => {
  await open('/ticket/new')
  // The mark of what is required is a part of its label.
  const title = page.getByRole('textbox', { name: 'Title', exact: true })
  await title.fill('Lost')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await see(page.getByRole('status').getByText(saved))
  await expect.element(title).toHaveValue('')
})
