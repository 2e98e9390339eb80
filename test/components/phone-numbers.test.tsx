/** Telephone numbers as people read, call and type them. */
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { entityFile } from '../support/definitions/files.ts'
import { openConsole } from './support/open-console.tsx'
import { see } from './support/record-form.ts'

const project = {
  'docket.json': { name: 'Contacts', locale: 'de-DE', language: 'en' },
  ...entityFile('contact', { name: 'Contact', displayField: 'name' }, [
    { key: 'name', name: 'Name', type: 'string' },
    { key: 'office', name: 'Office', type: 'phone' },
    { key: 'abroad', name: 'Abroad', type: 'phone' },
  ]),
}
const records = {
  contact: [{ id: 1, name: 'Anna', office: '+4930901820', abroad: '+38512345678' }],
}

const leadsTo = (name: string, address: string) =>
  expect.element(page.getByRole('link', { name, exact: true })).toHaveAttribute('href', address)

test('a list shows numbers of the region as they are dialled there, others with their country, as links', async () => {
  await openConsole('/contact', { project, records })
  await leadsTo('030 901820', 'tel:+4930901820')
  await leadsTo('+385 1 2345 678', 'tel:+38512345678')
})

test('a form has the stored number, and the keys of a telephone', async () => {
  await openConsole('/contact/1', { project, records })
  const input = page.getByLabelText('Office', { exact: true })
  await see(input)
  await expect.element(input).toHaveAttribute('type', 'tel')
  await expect.element(input).toHaveValue('+4930901820')
})
