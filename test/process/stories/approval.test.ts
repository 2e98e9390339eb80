/**
 * An order of the example is approved: who is notified, and what their e-mails contain. Nothing of what the service does meanwhile fails,
 * its maintenance neither.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type ParsedMail, simpleParser } from 'mailparser'
import { extractText } from 'unpdf'
import { openSeededExample } from '../../support/a-seeded-example.ts'
import { callDocket } from '../../support/call-docket.ts'
import { type CurlLine, parseCurlLines } from '../../support/curl.ts'
import { asking, endWell, type StartedService, startUp } from '../../support/processes/a-service.ts'
import { until } from '../../support/wait.ts'

let example: Awaited<ReturnType<typeof openSeededExample>>
let service: StartedService
let base: string
const tokens = new Map<string, string>()
before(async () => {
  example = await openSeededExample()
  service = await startUp(example.environment, ['--watch'])
  base = service.base
  for (const name of ['admin', 'anna', 'boris', 'dora']) {
    const args = ['token', '--user', `${name}@example.com`]
    tokens.set(name, (await callDocket(args, example.environment)).out.trim())
  }
})
after(async () => {
  // Every task of the maintenance begins at the start, and a stop waits for its end.
  assert.doesNotMatch(await endWell(service), /"level":"error"/)
})

const send = async (method: string, path: string, body?: object, as = 'admin') => {
  const reply = await asking(base, tokens.get(as) ?? '')(method, path, body)
  assert.ok(reply.status < 300, `${method} ${path}: ${reply.status}`)
  return reply
}
/** The answer, as JSON. */
const ask = async <T>(...request: Parameters<typeof send>): Promise<T> =>
  (await send(...request)).json() as T

/** The e-mails about an approved order, once there are `count` of them. */
const mailsOf = async (number: string, count: number): Promise<ParsedMail[]> => {
  const read = async () => {
    const { data } = await ask<{ data: readonly { name: string }[] }>('GET', '/api/mail')
    const mails = data.map(async ({ name }) =>
      simpleParser((await send('GET', `/api/mail/${encodeURIComponent(name)}`)).text),
    )
    return (await Promise.all(mails)).filter(({ subject }) => subject === `${number} approved`)
  }
  let mails: ParsedMail[] = []
  await until(`there are ${count} e-mails about ${number}`, async () => {
    mails = await read()
    return mails.length >= count
  })
  return mails
}

/** The lines of the tour in the README that submit and approve an order. */
const tour = (path: string) =>
  parseCurlLines(
    readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('curl ') && line.includes(path))
      .join('\n'),
    { BASE: base, TOKEN: tokens.get('admin') ?? '' },
  )

type Content = { readonly title: string; readonly message: string; readonly due_date?: string }

/** What a user reads about the order, by its title. */
const datesOf = async (as: string) => {
  type Notification = { readonly entity_id: number; readonly content: Content }
  const all = await ask<readonly Notification[]>('GET', '/api/notifications', undefined, as)
  const about = all.filter((one) => one.entity_id === 2999)
  return new Map(about.map(({ content }) => [content.title, content]))
}

const waiting = 'PO-2026-01224 waits for approval'

const paste = async ({ url, method, headers, body }: CurlLine) => {
  const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) })
  assert.equal(response.status, 200)
}

test('a submitted order waits for those of the management who can approve it', async () => {
  const [submitted] = tour('/proceedToStep')
  assert.ok(submitted)
  await paste(submitted)
  await until('he reads that it waits', async () => (await datesOf('boris')).has(waiting))
  const found = (await datesOf('boris')).get(waiting)
  assert.match(found?.due_date ?? '', /\d/)
  assert.match(found?.message ?? '', / asks for EUR\u00a042,796\.50 from /)
  // It is above her limit: she is told neither that it waits nor that it is due.
  assert.equal((await datesOf('dora')).has(waiting), false)
  const body = {
    entityKey: 'purchase_order',
    entityId: 2999,
    operation: 'proceedToStep',
    action: 'submit',
  }
  type Recipient = { readonly user: { readonly full_name: string }; readonly reason: string | null }
  const explained = await ask<{ entries: { recipients?: Recipient[] }[] }>(
    'POST',
    '/api/notifications/explain',
    body,
  )
  const named = explained.entries.flatMap(({ recipients = [] }) => recipients)
  assert.deepEqual(
    named
      .filter(({ user }) => /Dora|Boris/.test(user.full_name))
      .map(({ user, reason }) => [user.full_name, reason])
      .toSorted(),
    [
      ['Boris Šimić', null],
      ['Dora Babić', 'cannot take the action'],
    ],
  )
})

test('the tour sends an approved order as PDF, its lines as CSV and its exported row', async () => {
  for (const request of tour('/proceedToStep').slice(1)) await paste(request)
  // Anna, who wrote it, Boris, who requested it, and Dora; he and she are in the management: one e-mail each.
  const mails = await mailsOf('PO-2026-01224', 3)
  const recipients = mails.map(({ to }) => String([to].flat().map((one) => one?.text)))
  assert.deepEqual(recipients.sort(), [
    '"Anna Kovač" <anna@example.com>',
    '"Boris Šimić" <boris@example.com>',
    '"Dora Babić" <dora@example.com>',
  ])
  for (const { attachments } of mails) {
    assert.deepEqual(
      attachments.map(({ filename, contentType }) => [filename, contentType]),
      [
        ['purchase-order-PO-2026-01224.pdf', 'application/pdf'],
        ['PO-2026-01224-lines.csv', 'text/csv'],
        ['purchase_order-2999.csv', 'text/csv'],
      ],
    )
    const [pdf, lines, row] = attachments.map(({ content }) => content)
    const { text } = await extractText(new Uint8Array(pdf ?? []), { mergePages: true })
    assert.match(text, /Purchase order PO-2026-01224\nProtective equipment, refill/)
    assert.match(text, /Total without VAT\s+EUR\s42,796\.50/)
    assert.match(text, /\d pieces\s/)
    assert.match(text, /Deliver to\s+Split/)
    assert.match(String(lines), /Hi-vis vest/)
    assert.match(String(row), /PO-2026-01224/)
  }
})

test('something is due for the user who has to place the order, and for nobody who has decided', async () => {
  const [anna, boris] = [await datesOf('anna'), await datesOf('boris')]
  // She looks after the order, until it is placed.
  assert.match(anna.get('PO-2026-01224 approved')?.due_date ?? '', /\d/)
  // He requested it, is in the management, and reads that it was approved.
  assert.deepEqual([...boris].map(([title, { due_date: due }]) => [title, due]).toSorted(), [
    ['PO-2026-01224 approved', undefined],
    [waiting, undefined],
  ])
  const values = { ordered_at: '2026-11-02T09:00:00Z' }
  await ask('POST', '/purchase_order/2999/proceedToStep', { action: 'place_order', values })
  const title = 'PO-2026-01224 is on order'
  let placed = boris
  await until('he reads that it was placed', async () => {
    placed = await datesOf('boris')
    return placed.has(title)
  })
  const { due_date: due, message } = placed.get(title) ?? {}
  assert.equal(due, undefined)
  assert.match(message ?? '', /It is needed by \d+ [A-Z][a-z]+ 2026\./)
  const later = await datesOf('anna')
  assert.equal(later.get('PO-2026-01224 approved')?.due_date, undefined)
})

test('a changed function and a changed template are used at the next event', async () => {
  const path = join(example.directory, 'document-functions', 'order-lines-csv.ts')
  const template = join(example.directory, 'printable-documents', 'purchase-order.typ')
  await writeFile(
    path,
    "export const timeout = 5000\nexport const exec = () => ({ documents: [{ filename: 'new.txt', mimetype: 'text/plain', data: Buffer.from('new') }] })\n",
  )
  await writeFile(template, '= New #json("data.json").record.number')
  const body = { $where: { _step: 'review' } }
  type Order = { readonly id: number; readonly number: string }
  const found = await ask<{ data: readonly Order[] }>('POST', '/purchase_order/search', body)
  const [order] = found.data
  assert.ok(order)
  await ask('POST', `/purchase_order/${order.id}/proceedToStep`, {
    action: 'approve',
    values: { approver_id: 1 },
  })
  const [mail] = await mailsOf(order.number, 1)
  const [pdf, made] = mail?.attachments ?? []
  const { text } = await extractText(new Uint8Array(pdf?.content ?? []), { mergePages: true })
  assert.equal(text, `New ${order.number}`)
  assert.deepEqual([made?.filename, String(made?.content)], ['new.txt', 'new'])
})
