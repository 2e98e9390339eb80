/** The input of a field of files: choosing, dropping and pasting, sending with progress, and what is written with the record. */
import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { entityFile } from '../support/definitions/files.ts'
import {
  type Answer,
  type Answers,
  type Asked,
  type Given,
  pageOf,
  problem,
} from './support/answers.ts'
import { actionsAnswer, entryOf } from './support/given.ts'
import { type Opening, openConsole, press } from './support/open-console.tsx'
import { button, dialogOf, heading, tab } from './support/parts.ts'
import { gone, input, save, see, sent, unsaved, wrote } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const images = ['image/*', 'application/pdf']
const photoField = { key: 'photos', name: 'Photos', type: 'files', accept: images, maxFiles: 4 }
const project = {
  'docket.json': { name: 'Repairs', locale: 'en-GB' },
  ...entityFile(
    'damage',
    {
      name: 'Damage',
      displayField: 'title',
      workflow: {
        initialStep: 'open',
        steps: [
          {
            key: 'open',
            actions: [
              { key: 'close', name: 'Close', kind: 'proceedToStep', to: 'closed', form: 'close' },
            ],
          },
          { key: 'closed', final: true },
        ],
        forms: [{ key: 'close', fields: ['photos'], required: ['photos'] }],
      },
    },
    [
      { key: 'title', name: 'Title', type: 'string' },
      photoField,
      { key: 'estimate', name: 'Estimate', type: 'file', required: true, maxBytes: 2_000_000 },
    ],
  ),
}

const fileOf = (id: number, filename = `${id}.jpg`) => ({
  id,
  filename,
  mimetype: 'image/jpeg',
  bytes: 1000 * id,
  width: 4,
  height: 3,
})

const idOf = (count: number) => `up_${String(count).padStart(32, '0')}`

/** Takes every file, whose content is as its name says. */
const takeAll = () => {
  let count = 0
  return ({ headers, text }: Asked): Given => {
    count += 1
    const [, filename = ''] = headers.get('Content-Disposition')?.split("''") ?? []
    const mimetype = filename.endsWith('.pdf') ? 'application/pdf' : 'image/png'
    const about = { sha256: '0'.repeat(64), bytes: text.length, mimetype }
    return {
      status: 201,
      body: { upload: idOf(count), filename: decodeURIComponent(filename), ...about },
    }
  }
}

const damage = { id: 1, title: 'Left door', photos: [11, 12, 13].map((id) => fileOf(id)) }
const removed = Object.fromEntries(
  [1, 2, 3].map((count) => [`DELETE /api/uploads/${idOf(count)}`, { status: 204 }]),
)

/** A change leaves these photos. */
const leaves =
  (...photos: readonly object[]): Answer =>
  (_asked, usual) =>
    usual({ photos })

const open = (answers: Answers = {}, options: Opening = {}) =>
  openConsole('/damage/1', {
    project,
    records: { damage: [{ ...damage, estimate: fileOf(20, 'estimate.pdf') }] },
    answers: { 'POST /api/uploads': takeAll(), ...removed, ...answers },
    ...options,
  })

const png = (name: string) => new File(['12345678'], name, { type: 'image/png' })

const fieldOf = (column: string) => document.querySelector(`[data-column=${column}]`)

/** Waits until a field says something. */
const says = (text: string | RegExp, column = 'photos') =>
  expect.poll(() => fieldOf(column)?.textContent).toMatch(text)

const isNew = '8 bytes · not saved yet'

/** The input that opens the choice of files. */
const chooser = async (column = 'photos') => {
  await expect.poll(() => fieldOf(column)?.querySelector('input[type=file]')).toBeTruthy()
  return page.elementLocator(fieldOf(column)?.querySelector('input') as Element)
}

const names = () =>
  [...document.querySelectorAll('[data-column=photos] .file-about > span')].map(
    ({ textContent }) => textContent,
  )

const offer = async (kind: 'drop' | 'paste', ...files: readonly File[]) => {
  const input = await chooser()
  const data = new DataTransfer()
  for (const file of files) data.items.add(file)
  const more = { bubbles: true, cancelable: true }
  const event =
    kind === 'drop'
      ? new DragEvent('drop', { ...more, dataTransfer: data })
      : new ClipboardEvent('paste', { ...more, clipboardData: data })
  input.element().dispatchEvent(event)
}

test('files are chosen, dropped and pasted, and a change says what is different', async () => {
  const service = await open({ 'PATCH /damage/1': leaves(fileOf(13), fileOf(11), fileOf(14)) })
  await says('Allowed: pictures, PDF · at most 4 files')
  await userEvent.upload(await chooser(), png('Šibenik’s (1).png'))
  await says(isNew)
  const [first] = service.asked.filter(({ path }) => path === '/api/uploads')
  expect(first?.text).toBe('12345678')
  expect(first?.headers.get('Content-Disposition')).toBe(
    "attachment; filename*=UTF-8''%C5%A0ibenik%E2%80%99s%20(1).png",
  )
  await button('Remove: 12.jpg').click()
  await expect.element(await chooser()).toHaveFocus()
  await offer('drop', png('over.png'), new File(['MZ'], 'setup.exe'), png('too many.png'))
  await says('“setup.exe” is of a kind that is not allowed here.')
  await says('“too many.png” is left out: only 4 files are allowed.')
  await button('Remove: over.png').click()
  await wrote(service, `DELETE /api/uploads/${idOf(2)}`, undefined)
  await gone(page.getByText('too many.png'))
  await offer('paste', png('image.png'))
  await says(/Photos \d{4}-\d\d-\d\d .*\.png/)
  await button(/^Remove: Photos/).click()
  await press(button(/^Move: 13/), '{ArrowUp}')
  await see(page.getByText('13.jpg is now file 1 of 3.'))
  await expect.element(button(/^Move: 13/)).toHaveFocus()
  expect(await findViolations()).toEqual([])
  await save()
  await wrote(service, 'PATCH /damage/1', {
    photos: { add: [idOf(1)], remove: [12], order: [13, 11] },
  })
  await expect.poll(names).toEqual(['13.jpg', '11.jpg', '14.jpg'])
})

test('files are dragged into another order by their grips, and saved in it', async () => {
  const service = await open({ 'PATCH /damage/1': leaves(fileOf(13), fileOf(12), fileOf(11)) })
  await expect.poll(names).toEqual(['11.jpg', '12.jpg', '13.jpg'])
  const drag = (name: string, to: string, y: number) =>
    userEvent.dragAndDrop(button(`Move: ${name}`), button(`Move: ${to}`), {
      targetPosition: { x: 5, y },
      force: true,
    })
  await drag('11.jpg', '13.jpg', 22)
  await expect.poll(names).toEqual(['12.jpg', '13.jpg', '11.jpg'])
  await drag('13.jpg', '12.jpg', 1)
  await expect.poll(names).toEqual(['13.jpg', '12.jpg', '11.jpg'])
  await save()
  await wrote(service, 'PATCH /damage/1', { photos: { order: [13, 12, 11] } })
})

test('while a file is sent the form waits, says so, and asks before it is left; sending is cancelled', async () => {
  const { promise, resolve } = Promise.withResolvers<Given>()
  const service = await open({ 'POST /api/uploads': () => promise })
  await offer('drop', png('slow.png'))
  await see(page.getByRole('progressbar', { name: 'slow.png' }))
  await says('8 bytes · 50% sent')
  await userEvent.keyboard('{Control>}s{/Control}')
  await see(page.getByText('Not all files are sent.').first())
  await expect.element(await chooser()).toHaveFocus()
  expect(await findViolations()).toEqual([])
  await tab(/^Tasks/).click()
  await tab(/^Fields/).click()
  await see(button('Cancel sending: slow.png'))
  const leaving = new Event('beforeunload', { cancelable: true })
  window.dispatchEvent(leaving)
  expect(leaving.defaultPrevented).toBe(true)
  document.querySelector<HTMLElement>('a[href$="/damage"]')?.click()
  await see(dialogOf('Leave without saving?'))
  await button('Stay here').click()
  await button('Cancel sending: slow.png').click()
  await gone(unsaved())
  const [sending] = service.asked.filter(({ path }) => path === '/api/uploads')
  expect(sending?.signal.aborted).toBe(true)
  expect(sent(service, 'PATCH /damage/1')).toEqual([])
  resolve({ status: 201, body: { upload: idOf(1) } })
})

describe('a file that could not be sent', () => {
  const failing = async (first: () => Given, more: Answers = {}) => {
    const take = takeAll()
    let count = 0
    const service = await open({
      'POST /api/uploads': (asked) => {
        count += 1
        return count === 1 ? first() : take(asked)
      },
      ...more,
    })
    await offer('drop', png('a.png'))
    return service
  }

  test('of a lost line is sent again by the user', async () => {
    await failing(() => {
      throw new TypeError('lost')
    })
    await says('The service does not answer.')
    expect(await findViolations()).toEqual([])
    await button('Send again: a.png').click()
    await says(isNew)
  })

  test('to a full service is sent again when that says', async () => {
    const { headers, ...full } = problem(503, 'request.saturated', 'Full.')
    const answer = { ...full, headers: { ...headers, 'Retry-After': '0' } }
    const service = await failing(() => answer)
    await says(isNew)
    expect(sent(service, 'POST /api/uploads')).toHaveLength(2)
    // Five times, then the user decides.
    await button('Remove: a.png').click()
    service.answer({ 'POST /api/uploads': answer })
    await offer('drop', png('b.png'))
    await expect.poll(() => sent(service, 'POST /api/uploads').length).toBeGreaterThanOrEqual(2 + 5)
    await says(/has no room for it at the moment\.(?!.*automatically)/)
    expect(sent(service, 'POST /api/uploads')).toHaveLength(2 + 5)
  })

  test('and never will be says why, and is taken away', async () => {
    await failing(() => problem(422, 'upload.refused', 'It was found: Eicar.'))
    await says('The service found something harmful in it.')
    await gone(button('Send again: a.png'))
    await button('Remove: a.png').click()
    await gone(unsaved())
  })

  test('because of its content is removed again', async () => {
    const text = { upload: idOf(1), sha256: '0', bytes: 8, mimetype: 'text/plain', filename: 'a' }
    const service = await failing(() => ({ status: 201, body: text }))
    await says('Its content is of a kind that is not allowed here.')
    await wrote(service, `DELETE /api/uploads/${idOf(1)}`, undefined)
  })
})

test('files that another user adds or removes at the same time stay or go, and nothing is decided', async () => {
  let current = { version: 1, photos: damage.photos }
  const read = () => ({
    headers: { ETag: `"${current.version}"` },
    body: { ...whole, photos: current.photos, _version: current.version },
  })
  const whole = {
    ...damage,
    estimate: fileOf(20),
    _step: 'open',
    _is_deleted: false,
    _owned_by: 1,
    _created_by: 1,
    _updated_by: 1,
    _created_at: '2026-01-01T00:00:00.000Z',
    _updated_at: '2026-01-01T00:00:00.000Z',
  }
  const service = await open({
    'GET /damage/1': read,
    'PATCH /damage/1': ({ headers }) => {
      if (headers.get('If-Match') !== `"${current.version}"`)
        return problem(412, 'record.stale', 'It has changed.')
      current = { version: 3, photos: [fileOf(12), fileOf(15), fileOf(16)] }
      return read()
    },
  })
  await offer('drop', png('mine.png'))
  await says(isNew)
  await button('Remove: 13.jpg').click()
  current = { version: 2, photos: [fileOf(12), fileOf(13), fileOf(15)] }
  await userEvent.keyboard('{Control>}s{/Control}')
  await expect.poll(names).toEqual(['12.jpg', '15.jpg', 'mine.png'])
  await save()
  await wrote(
    service,
    'PATCH /damage/1',
    { photos: { add: [idOf(1)], remove: [13] } },
    { photos: { add: [idOf(1)], remove: [13] } },
  )
  await expect.poll(names).toEqual(['12.jpg', '15.jpg', '16.jpg'])
})

test('an upload that waited too long is said at its field', async () => {
  const errors = [{ path: 'photos.add[0]', message: 'is no upload of yours that waits' }]
  await open({ 'PATCH /damage/1': problem(422, 'record.invalid', 'It is wrong.', { errors }) })
  await offer('drop', png('old.png'))
  await says(isNew)
  await userEvent.keyboard('{Control>}s{/Control}')
  await see(page.getByText('One of the new files has expired.').first())
})

test('a new record gets lists and ids, on a phone with its camera, and a file that it needs is asked for', async () => {
  const { matchMedia } = window
  window.matchMedia = (query) => matchMedia(query === '(pointer: coarse)' ? 'all' : query)
  try {
    const service = await openConsole('/damage/new', {
      project,
      records: { damage: [{ ...damage, estimate: fileOf(2) }] },
      answers: {
        'POST /api/uploads': takeAll(),
        ...removed,
        'POST /damage': async (_asked, usual) => {
          const { body, ...given } = await usual({ photos: [], estimate: fileOf(2) })
          return { ...given, body: { ...(body as object), id: 1 } }
        },
      },
      viewport: { width: 390, height: 844 },
    })
    await says('Take a photo')
    const cameras = document.querySelectorAll<HTMLInputElement>('[capture]')
    expect([...cameras].map(({ accept }) => accept)).toEqual(['image/*', 'image/*'])
    await input('Title').fill('New')
    await button('Create').click()
    await see(page.getByText('Enter a value.').first())
    await expect.element(await chooser('estimate')).toHaveFocus()
    await userEvent.upload(await chooser('estimate'), png('wrong.png'))
    await says(isNew, 'estimate')
    await userEvent.upload(await chooser('estimate'), png('right.png'))
    await wrote(service, `DELETE /api/uploads/${idOf(1)}`, undefined)
    await offer('drop', png('photo.png'))
    await says(isNew)
    expect(await findViolations()).toEqual([])
    expect(document.documentElement.scrollWidth).toBe(390)
    await button('Create').click()
    await wrote(service, 'POST /damage', { title: 'New', photos: [idOf(3)], estimate: idOf(2) })
  } finally {
    window.matchMedia = matchMedia
  }
})

test('a form that is discarded leaves no upload', async () => {
  const service = await open()
  await offer('drop', png('a.png'))
  await says(isNew)
  await button('Discard').click()
  await wrote(service, `DELETE /api/uploads/${idOf(1)}`, undefined)
  await expect.poll(names).toEqual(['11.jpg', '12.jpg', '13.jpg'])
})

test('an action adds files to those of the record', async () => {
  const photos = { key: 'photos', column: 'photos', name: 'Photos', type: 'files', required: true }
  const form = { key: 'close', fields: [photos], callerFields: [] }
  const to = { key: 'closed', name: 'closed', final: true }
  const action = { key: 'close', name: 'Close', kind: 'proceedToStep', to, form }
  const service = await open({
    'GET /damage/1/actions': actionsAnswer({ data: [action], may: {} }),
  })
  await see(heading('Left door'))
  await button('Close').first().click()
  await see(dialogOf('Close: Left door'))
  await userEvent.upload(await chooser(), png('signed.png'))
  await says(isNew)
  await dialogOf('Close: Left door').getByRole('button', { name: 'Close' }).first().click()
  await wrote(service, 'POST /damage/1/proceedToStep', {
    action: 'close',
    values: { photos: { add: [idOf(1)] } },
  })
})

test('the history of a record without comments has its files apart, also those that it was created with', async () => {
  const created = entryOf(1, { operation: 'create', changes: { photos: { after: [fileOf(11)] } } })
  const changes = { photos: { before: [fileOf(11)], after: [] } }
  const entries = [entryOf(2, { changes: { title: { after: 'Door' } } }), created]
  const { asked } = await open({
    'GET /damage/1/history': ({ query }) =>
      pageOf(query.has('about') ? [entryOf(5, { changes }), created] : [...entries, ...entries]),
    'GET /damage/1/notified': { body: { data: [] } },
  })
  const part = page.getByRole('complementary', { name: 'History' })
  await see(part.getByText('Title: Door').first())
  await part.getByRole('combobox', { name: 'Show changes of' }).selectOptions('Files')
  await gone(part.getByText('Title: Door'))
  await expect.poll(() => part.getByText('11.jpg').all().length).toBe(2)
  const query = asked.findLast(({ path }) => path === '/damage/1/history')?.query
  expect(query?.get('about')).toBe('files')
})
