/** Files of records: small pictures in lists and on pages, the viewer with its keys, and files that a record had before. */
import { beforeAll, expect, test } from 'vitest'
import { commands, page, userEvent } from 'vitest/browser'
import { entityFile, namedRole } from '../support/definitions/files.ts'
import { pageOf } from './support/answers.ts'
import { entryOf } from './support/given.ts'
import { type Opening, openConsole } from './support/open-console.tsx'
import { button, dialogOf, link, tab } from './support/parts.ts'
import { gone, see } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const fileOf = (id: number, filename: string, mimetype = 'image/jpeg', more: object = {}) => ({
  id,
  filename,
  mimetype,
  bytes: 248_113,
  ...(mimetype.startsWith('image/')
    ? { width: 1600, height: 1200 }
    : { width: null, height: null }),
  ...more,
})
// Of files with this id the service has no picture.
const damagedId = 13
const front = fileOf(11, 'front.jpg')
const photos = [
  front,
  fileOf(12, 'Türe.png', 'image/png'),
  fileOf(damagedId, 'cut.jpeg'),
  fileOf(14, 'back.jpg'),
]
const notes = fileOf(15, 'notes.txt', 'text/plain', { bytes: 300_000 })
const drawing = fileOf(16, 'plan.dwg', 'application/octet-stream')
const rows = [
  { id: 1, title: 'Left door', photos, papers: [notes, drawing] },
  { id: 2, title: 'Right door', photos: [front], papers: [drawing] },
  {
    id: 3,
    title: 'Roof',
    photos: [],
    papers: [fileOf(17, 'atlas.png', 'image/png', { width: 60_000, height: 60_000 })],
  },
]
const project = {
  'docket.json': { name: 'Damages', locale: 'en' },
  ...entityFile('damage', { name: 'Damage', displayField: 'title' }, [
    { key: 'title', name: 'Title', type: 'string' },
    { key: 'photos', name: 'Photos', type: 'files' },
    { key: 'papers', name: 'Papers', type: 'files' },
  ]),
  // Who writes no files sees them as they are.
  ...namedRole('Reader', { damage: { read: true } }),
}
const answers = {
  'GET /damage/1/history': pageOf([
    entryOf(2, {
      changes: { photos: { before: [fileOf(9, 'earlier.jpg'), front], after: photos } },
    }),
  ]),
  'GET /damage/1/file/15': {
    headers: { 'Content-Type': 'text/plain; charset=utf-8' },
    body: 'Two dents',
  },
}
const open = (path: string, options: Opening = {}) =>
  openConsole(path, { project, role: 'reader', records: { damage: rows }, answers, ...options })

const cell = (row: number, column: number) =>
  page.getByRole('row').nth(row).getByRole('gridcell').nth(column)
const picture = (name: string) => page.getByRole('img', { name, exact: true })
const addressOf = (name: string) =>
  (
    picture(name)
      .elements()
      .find((one) => one instanceof HTMLImageElement) as HTMLImageElement | undefined
  )?.getAttribute('src')
const opensOf = (name: string) => link(name).element() as HTMLAnchorElement

beforeAll(() => commands.servePictures(damagedId))

test('a list shows small pictures or endings, one name, and how many there are more', async () => {
  const columns = JSON.stringify(['title', 'photos', 'papers'])
  await open(`/damage?${new URLSearchParams({ c: columns })}`)
  await see(cell(2, 2).getByText('front.jpg'), cell(1, 2).getByText('+1'))
  await expect.poll(() => addressOf('Türe.png')).toBe('/damage/1/file/12?size=160')
  // The names of several are those of their pictures.
  const shown = () =>
    [...cell(1, 2).element().querySelectorAll('.thumbnail')].map((one) => one.tagName)
  await expect.poll(shown).toEqual(['IMG', 'IMG', 'SPAN'])
  await see(cell(1, 2).getByRole('img', { name: 'cut.jpeg' }))
  expect(cell(1, 3).element().textContent).toBe('TXTDWG')
  expect(cell(3, 3).element().textContent).toBe('PNGatlas.png')
  const heights = page
    .getByRole('row')
    .elements()
    .map((row) => row.getBoundingClientRect().height)
  expect(new Set(heights.slice(1)).size).toBe(1)
  expect(await findViolations()).toEqual([])
  await cell(1, 2).getByRole('button').click()
  await see(dialogOf('front.jpg'))
  await userEvent.keyboard('{ArrowRight}')
  await see(dialogOf('Türe.png'))
  await userEvent.keyboard('{Escape}')
  await gone(page.getByRole('dialog'))
  expect(location.pathname).toBe('/console/damage')
})

test('a record shows all of them; keys go through the viewer, which shows what browsers can, and the rest is saved', async () => {
  await open('/damage/1')
  await see(button('front.jpg 248.1 kB'))
  expect(opensOf('plan.dwg').download).toBe('plan.dwg')
  expect(new URL(opensOf('plan.dwg').href).pathname).toBe('/damage/1/file/16')
  await button('Türe.png 248.1 kB').click()
  const dialog = page.getByRole('dialog')
  await see(dialogOf('Türe.png'), dialog.getByText('2 of 4'))
  expect(addressOf('Türe.png')).toBe('/damage/1/file/12')
  expect(await findViolations()).toEqual([])
  await button('Actual size').click()
  await see(page.getByRole('region', { name: 'Actual size' }))
  // Now they move over the picture.
  await userEvent.keyboard('{ArrowRight}')
  await see(dialogOf('Türe.png'))
  await button('Next file').click()
  await see(dialogOf('cut.jpeg'), page.getByText('This picture cannot be shown.'))
  await userEvent.keyboard('{ArrowRight}{ArrowRight}')
  await see(dialogOf('back.jpg'))
  await expect.element(button('Next file')).toHaveAttribute('aria-disabled', 'true')
  let saved = ''
  addEventListener(
    'click',
    (event) => {
      event.preventDefault()
      saved = (event.target as HTMLAnchorElement).download
    },
    { once: true, capture: true },
  )
  await userEvent.keyboard('d')
  expect(saved).toBe('back.jpg')
  await userEvent.keyboard('{ArrowLeft}')
  await see(dialogOf('cut.jpeg'))
  await userEvent.keyboard('{Escape}')
  await gone(dialog)
  await expect.element(button('Türe.png 248.1 kB')).toHaveFocus()
  await button('notes.txt').click()
  await see(
    dialog.getByText('Two dents'),
    dialog.getByText('This is the beginning of a long text.'),
  )
  expect(await findViolations()).toEqual([])
})

test('the history leads to files that the record has no more, on a telephone too', async () => {
  await open('/damage/1', { viewport: { width: 390, height: 800 } })
  await tab('History').click()
  await button('earlier.jpg').click()
  await see(dialogOf('earlier.jpg'))
  expect(addressOf('earlier.jpg')).toBe('/damage/1/file/9?size=800')
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390)
  const { width } = page.getByRole('dialog').element().getBoundingClientRect()
  expect(width).toBeLessThanOrEqual(390)
  expect(await findViolations()).toEqual([])
  await button('Close').click()
  await gone(page.getByRole('dialog'))
})
