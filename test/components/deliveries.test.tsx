/** Deliveries and jobs, as administrators see them. */
import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type {
  Delivery,
  DeliveryMessage,
  DeliveryStatus,
  Job,
  JobStatus,
} from '../../console/api/admin/queue.ts'
import { type Answers, type Asked, pageOf, problem } from './support/answers.ts'
import { administers, deliveryOf, finds, foundOf } from './support/given.ts'
import { closeConsole, openConsole, press } from './support/open-console.tsx'
import { ordersProject } from './support/orders.ts'
import { button, dialogOf, heading, link, option } from './support/parts.ts'
import { gone, see, sent, wrote } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const at = '2026-05-04T08:30:00.000Z'
const radio = (name: string) => page.getByRole('radio', { name })
const noPage = page.getByText('There is no such page.')
const path = '/-/admin/deliveries'
const noDeliveries = { queued: 0, sending: 0, sent: 0, failed: 0, dead: 0 }
const noJobs = { waiting: 0, scheduled: 0, running: 0, failing: 0, dead: 0 }

describe('deliveries and jobs', () => {
  const parts = ['deliveries', 'jobs']

  const open = (search: string, administration = parts) =>
    openConsole(`${path}${search}`, {
      project: ordersProject,
      answers: {
        'GET /api/me': administers(...administration),
        'GET /api/deliveries': pageOf([]),
        'GET /api/deliveries/count': {
          body: {
            email: noDeliveries,
            webhook: noDeliveries,
            slack: noDeliveries,
            teams: noDeliveries,
          },
        },
        'GET /api/jobs': pageOf([]),
        'GET /api/jobs/count': { body: noJobs },
      },
    })

  test('are one page, which begins with deliveries, and whose address says of which it is', async () => {
    await open('?status=dead&q=ana')
    await see(heading('Deliveries and jobs'), page.getByText('No delivery matches.'))
    await press(radio('Deliveries'), '{ArrowRight}')
    await expect.element(radio('Jobs')).toHaveFocus()
    await see(page.getByText('Nothing is waiting: every job is done.'))
    expect(location.search).toBe('?kind=jobs')
    await gone(page.getByRole('searchbox'))
    await radio('Running 0').click({ force: true })
    await see(page.getByText('There are no such jobs.'))
    expect(location.search).toBe('?kind=jobs&status=running')
    await button('Show all').click()
    await see(radio('Deliveries'), page.getByText('Nothing is waiting: every job is done.'))
    await radio('Deliveries').click({ force: true })
    await see(page.getByText('Nothing has been sent yet.'))
    expect(location.search).toBe('')
  })

  test.for([
    ['deliveries', 'Nothing has been sent yet.', '?kind=jobs&status=running', 'Sent 0'],
    ['jobs', 'Nothing is waiting: every job is done.', '?status=sent', 'Running 0'],
  ] as const)('are those that the user may open: only %s', async ([part, text, search, status]) => {
    const service = await open(search, [part])
    await see(link('Deliveries and jobs'), page.getByText(text))
    expect(page.getByRole('radio', { name: 'Jobs' }).elements()).toEqual([])
    await radio(status).click({ force: true })
    await expect.element(radio(status)).toBeChecked()
    const asked = service.asked.map((one) => one.path)
    const other = parts.find((one) => one !== part)
    expect(asked.filter((one) => one.includes(`/${other}`))).toEqual([])
  })
})

describe('deliveries', () => {
  const deliveryTo = (id: number, name: string, more: Partial<Delivery>): Delivery =>
    deliveryOf(id, {
      user: { id, full_name: `${name} Test` },
      address: `${name.toLowerCase()}@example.com`,
      ...more,
    })
  const message: DeliveryMessage & Pick<Delivery, 'id' | 'channel' | 'attachments'> = {
    id: 1,
    channel: 'email',
    attachments: [],
    as_sent: false,
    address: 'ana@example.com',
    subject: null,
    headers: { 'List-Unsubscribe': '<https://example.com/u>' },
    text: 'O-1 waits',
    html: '<h1>O-1 waits</h1><script>document.body.append("It ran")</script>',
    template: null,
  }

  /** Answers as a service with three deliveries: one waits, one is given up, and one will be tried again. */
  const keepDeliveries = (): Answers => {
    const all = [
      deliveryTo(1, 'Admin', {}),
      deliveryTo(2, 'Ana', { status: 'dead', tries: 8, last_error: '550 no such user' }),
      deliveryTo(4, 'Gita', { status: 'failed', tries: 1, last_error: '450 later' }),
    ]
    const matching = ({ query }: Asked) =>
      all.filter(
        ({ user, entity_id, address }) =>
          [`${user.id}`, null].includes(query.get('user')) &&
          [`${entity_id}`, null].includes(query.get('record')) &&
          address?.includes(query.get('q') ?? ''),
      )
    const single = all.flatMap((one) => [
      [`GET /api/deliveries/${one.id}`, () => ({ body: one })] as const,
      [`GET /api/deliveries/${one.id}/message`, { body: message }] as const,
    ])
    return {
      'GET /api/deliveries': (asked) => {
        const status = asked.query.get('status')
        return pageOf(matching(asked).filter((one) => status === null || one.status === status))
      },
      'GET /api/deliveries/count': (asked) => {
        const email = { ...noDeliveries }
        for (const { status } of matching(asked)) email[status] += 1
        return { body: { email, webhook: noDeliveries, slack: noDeliveries, teams: noDeliveries } }
      },
      'POST /api/deliveries/retry': ({ body }) => {
        const { ids, status } = body as { ids?: readonly number[]; status?: DeliveryStatus }
        const chosen = all.filter((one) => ids?.includes(one.id) ?? one.status === status)
        for (const one of chosen) Object.assign(one, { status: 'queued' })
        return {
          body: { data: chosen.map(({ id }) => ({ id, result: 'queued' })), hasMore: false },
        }
      },
      ...Object.fromEntries(single),
    }
  }

  const open = async (search = '', answers: Answers = {}) => {
    const service = await openConsole(`${path}${search}`, {
      project: ordersProject,
      records: {
        order: [{ id: 1, number: 'O-1', customer_id: 1 }],
        customer: [{ id: 1, name: 'A' }],
        user: [{ id: 2, full_name: 'Ana Test' }],
      },
      answers: { ...keepDeliveries(), ...answers },
    })
    return { service, retried: () => sent(service, 'POST /api/deliveries/retry') }
  }

  test('are shown by status with the numbers of the service, and tried again together', async () => {
    const { service, retried } = await open()
    await radio('Given up 1').click({ force: true })
    await see(page.getByRole('row', { name: '550 no such user' }))
    expect(location.search).toMatch(/status=dead/)
    expect(await findViolations()).toEqual([])
    await button('Try 1 again now').click()
    await see(page.getByText('1 will be tried again.'), radio('Given up 0'))
    expect(retried()).toEqual([{ status: 'dead' }])
    const counted = service.asked.findLast((one) => one.path === '/api/deliveries/count')
    expect(counted?.query.get('sentLimit')).toBe('10001')
  })

  test.for([
    [10_000, 'Sent 10,000'],
    [10_001, 'Sent more than 10,000'],
  ] as const)('of %i sent ones it is said how many were counted', async ([count, text]) => {
    await open('', {
      'GET /api/deliveries/count': {
        body: {
          email: { ...noDeliveries, sent: count },
          webhook: noDeliveries,
          slack: noDeliveries,
          teams: noDeliveries,
        },
      },
    })
    await see(page.getByRole('radio', { name: text, exact: true }))
  })

  test('are selected and tried again by keys alone', async () => {
    const { retried } = await open()
    const boxes = page.getByRole('checkbox')
    await see(boxes.first())
    expect(boxes.elements(), 'A queued one cannot be selected.').toHaveLength(2)
    await press(boxes.first(), '[Space]{ArrowDown}[Space]')
    await see(page.getByText('2 selected'))
    await press(button('Try again now'), '{Enter}')
    await see(page.getByText('2 will be tried again.'))
    expect(retried()).toEqual([{ ids: [2, 4] }])
  })

  test('are found by words of their address, which the address of the page keeps', async () => {
    await open()
    await page.getByRole('searchbox', { name: 'Find by address or subject' }).fill('ana@exam')
    await gone(page.getByText('450 later'))
    await see(radio('Given up 1'))
    await expect.poll(() => location.search).toMatch(/q=ana%40exam/)
    await closeConsole()
    await open('?q=ana%40exam')
    await see(page.getByText('550 no such user'))
    await gone(page.getByText('450 later'))
  })

  test('are narrowed down to a recipient, and to a record by its address', async () => {
    await open('', { 'GET /api/search': finds(foundOf('user', 2, 'Ana Test', 'full_name')) })
    await page.getByRole('combobox', { name: 'Recipient' }).fill('Ana')
    await option('Ana Test').click()
    await see(radio('Queued 0'))
    await gone(page.getByText('450 later'))
    await closeConsole()
    await open('?entity=order&record=99')
    await see(page.getByText('No delivery matches.'))
    await button('Remove the filter Record: Order 99').click()
    await see(page.getByText('450 later'))
  })

  test('one of them shows its message in a frame without scripts, its text and its headers', async () => {
    await open('?status=queued')
    await page.getByRole('row').getByRole('link', { name: 'No subject' }).click()
    await see(page.getByText('Not stored as sent'))
    expect(await findViolations()).toEqual([])
    const frame = document.querySelector('iframe')
    expect(frame?.getAttribute('sandbox')).toBe('')
    expect(frame?.getAttribute('src')).toMatch(/^\/api\/deliveries\/1\/message/)
    await page.getByText('Headers', { exact: true }).click()
    await see(page.getByText('List-Unsubscribe'))
    await link('Order 1').click()
    await see(page.getByRole('heading', { name: 'O-1' }))
  })

  test('a failed one shows why, and is sent again', async () => {
    const { retried } = await open('?status=dead')
    await page.getByRole('row').getByRole('link', { name: 'No subject' }).click()
    await see(page.getByText('550 no such user'))
    await button('Try again now').click()
    await see(page.getByText('Queued'))
    expect(retried()).toEqual([{ ids: [2] }])
  })

  test.for([
    ['proceedToStep', '&operation=proceedToStep&action=submit'],
    // The definition was changed since.
    ['create', ''],
  ] as const)('one leads to why it was sent, as far as its entry is there: %s', async (row) => {
    const [operation, event] = row
    await open('/1', { 'GET /api/deliveries/1': { body: deliveryTo(1, 'Admin', { operation }) } })
    const why = link('Who is notified, and why')
    const address = `/console/-/admin/explain?entity=order&record=1${event}&user=1`
    await expect.element(why).toHaveAttribute('href', address)
  })

  test('one whose message cannot be composed says why, besides everything else', async () => {
    const why = 'The recipient may not use the service any more.'
    const refused = problem(409, 'delivery.not-composed', why)
    await open('/2', { 'GET /api/deliveries/2/message': refused })
    await see(page.getByText(why), page.getByText('ana@example.com'), link('Ana Test'))
  })

  test('that nobody has, none at all, and a service that is away, are said so', async () => {
    const unknown = problem(404, 'delivery.unknown', 'There is no such delivery.')
    await open('/999', { 'GET /api/deliveries/999': unknown })
    await see(noPage)
    await closeConsole()
    const { service } = await open('', { 'GET /api/deliveries': pageOf([]) })
    await see(page.getByText('Nothing has been sent yet.'))
    service.answer({
      'GET /api/deliveries': () => {
        throw new TypeError('Nobody answers.')
      },
    })
    await page.getByText(/^Sent/).click()
    await see(page.getByText('The service does not answer.'))
  })
})

describe('jobs', () => {
  const jobOf = (id: number, name: string, status: JobStatus, error: string | null): Job => ({
    id,
    task: 'test.note',
    status,
    payload: { name },
    attempts: 25,
    max_attempts: 25,
    last_error: error,
    key: null,
    queue: null,
    worker: null,
    created_at: at,
    run_at: at,
    started_at: null,
  })

  /** Answers as a service with two jobs that were given up, and one that runs. */
  const open = async (search = '', answers: Answers = {}) => {
    let all = [
      jobOf(1, 'one', 'dead', 'no luck'),
      jobOf(2, 'two', 'dead', 'none at all'),
      jobOf(3, 'three', 'running', null),
    ]
    const remove = (id: number) => () => {
      all = all.filter((one) => one.id !== id)
      return { status: 204 }
    }
    const service = await openConsole(`${path}?kind=jobs${search}`, {
      project: ordersProject,
      answers: {
        'GET /api/jobs': ({ query }) => {
          const status = query.get('status')
          return pageOf(all.filter((one) => status === null || one.status === status))
        },
        'GET /api/jobs/count': () => {
          const body = { ...noJobs }
          for (const { status } of all) body[status] += 1
          return { body }
        },
        'POST /api/jobs/retry': () => {
          const dead = all.filter(({ status }) => status === 'dead')
          for (const one of dead) Object.assign(one, { status: 'waiting' })
          return {
            body: { data: dead.map(({ id }) => ({ id, result: 'queued' })), hasMore: false },
          }
        },
        'DELETE /api/jobs/1': remove(1),
        'DELETE /api/jobs/2': remove(2),
        ...answers,
      },
    })
    return { service, ids: () => all.map(({ id }) => id) }
  }

  test('that failed are shown with their input, and run again together', async () => {
    const { service } = await open()
    await radio('Given up 2').click({ force: true })
    await see(page.getByText('no luck').last())
    await page.getByText('test.note').nth(1).click()
    await see(page.getByText('"name": "two"'))
    await button('Try all 2 again now').click()
    await see(page.getByText('2 will be tried again.'), page.getByText('There are no such jobs.'))
    await wrote(service, 'POST /api/jobs/retry', { status: 'dead' })
  })

  test('are selected by keys, and removed after a question', async () => {
    const { service, ids } = await open()
    const boxes = page.getByRole('checkbox')
    await see(boxes.first())
    expect(boxes.elements(), 'A running one cannot be selected.').toHaveLength(2)
    await press(boxes.first(), '[Space]{ArrowDown}[Space]')
    expect(await findViolations()).toEqual([])
    await press(button('Remove …'), '{Enter}')
    const dialog = dialogOf('Remove 2 jobs?')
    await see(dialog)
    expect(await findViolations()).toEqual([])
    await userEvent.keyboard('{Escape}')
    await gone(dialog)
    expect(ids()).toHaveLength(3)
    await button('Remove …').click()
    await button('Remove permanently').click()
    await gone(page.getByText('no luck'))
    expect(ids()).toEqual([3])
    await expect
      .poll(() => service.asked.filter(({ method }) => method === 'DELETE'))
      .toHaveLength(2)
  })

  test('that cannot be removed, because one runs now, are said so', async () => {
    const running = problem(409, 'job.running', 'It runs now.')
    await open('&status=dead', { 'DELETE /api/jobs/1': running })
    await page.getByRole('checkbox').first().click()
    await button('Remove …').click()
    await button('Remove permanently').click()
    await see(page.getByRole('dialog').getByRole('alert'))
  })
})
