/** Changing many records of a list at once: tried first, then written, and taken back; what is offered to whom. */
import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Instruction, Outcome } from '../../console/api/bulk.ts'
import { type Answers, type Asked, type Given, problem } from './support/answers.ts'
import { ana } from './support/given.ts'
import type { KeptRecords } from './support/keep-records.ts'
import { press } from './support/open-console.tsx'
import { bar, boxOf, emptyOrder, openKept, orderList, ordersUpTo } from './support/orders.ts'
import { button, dialogOf, item } from './support/parts.ts'
import { gone, see } from './support/record-form.ts'
import { notifies } from './support/waiting.ts'

type Body = {
  readonly ids: readonly number[]
  readonly versions: Readonly<Record<string, number>>
  readonly do: Instruction
  readonly dryRun?: boolean
}

const outcomeOf = (id: number, version: number | null, code: string | null): Outcome => ({
  id,
  status: code === null ? 'done' : 'refused',
  version,
  code,
  detail: code,
  errors: [],
})

/** Writes what is wanted to the orders that have the version that was read; `refused` says why not to the others. */
const bulkOf =
  ({ rowOf, write }: KeptRecords, refused: Readonly<Record<number, string>>) =>
  ({ body }: Asked): Given => {
    const { ids, versions, do: wanted, dryRun } = body as Body
    const data = ids.map((id): Outcome => {
      const row = rowOf(id)
      const code = versions[id] === row._version ? refused[id] : 'record.stale'
      if (code !== undefined) return outcomeOf(id, null, code)
      const values = 'change' in wanted ? wanted.change : {}
      const isSame = Object.entries(values).every(([key, value]) => row[key] === value)
      if ('change' in wanted && isSame)
        return { ...outcomeOf(id, row._version, null), status: 'unchanged' }
      return outcomeOf(id, dryRun ? row._version : write(id, values)._version, null)
    })
    const {
      done = [],
      unchanged = [],
      refused: left = [],
    } = Object.groupBy(data, (one) => one.status)
    const counts = { done: done.length, unchanged: unchanged.length, refused: left.length }
    return { body: { dryRun: dryRun === true, counts, data } }
  }

type Opening = {
  readonly role?: string
  readonly refused?: Readonly<Record<number, string>>
  readonly steps?: Readonly<Record<number, string>>
  readonly answers?: Answers
  readonly count?: number
}

/** Opens the list of some orders, and selects them; without ids it has all. */
const openSelected = async (ids: readonly number[], opening: Opening = {}) => {
  const { role, refused = {}, steps = {}, answers = {}, count = 2 } = opening
  const rows = ordersUpTo(Math.max(count, ...ids)).map((row) => ({
    ...row,
    _step: steps[row.id] ?? row._step,
  }))
  const path = orderList(ids.length > 0 ? { w: { id: { $in: ids } } } : {})
  const { kept, service } = await openKept(path, rows, {
    ...(role !== undefined && { role }),
    answers,
  })
  service.answer({ 'POST /order/bulk': bulkOf(kept, refused), ...answers })
  for (const id of ids) await boxOf(id).click()
  const written = () =>
    service.asked
      .filter(({ path }) => path === '/order/bulk')
      .map(({ body }) => body as Body)
      .filter(({ dryRun }) => !dryRun)
  return { kept, service, written }
}

/** Checks what a change of a field of the selected orders would do. */
const change = async (field: string, value: string) => {
  await button('Change a field …').click()
  const dialog = dialogOf('Change a field')
  await dialog.getByLabelText('Field').selectOptions(field)
  const input = dialog.getByLabelText(field, { exact: true })
  await see(input)
  if (input.element().tagName === 'SELECT') await input.selectOptions(value)
  else await input.fill(value)
  await dialog.getByRole('button', { name: 'Check' }).click()
  return dialog
}

const shown = (text: string) => see(page.getByText(text).first())

const selectedRows = page.getByRole('row', { selected: true }).getByRole('checkbox')

describe('changing a field of many records', () => {
  test('is tried first, then written, and taken back exactly', async () => {
    const { kept, written } = await openSelected([11, 12, 13])
    await change('Status', 'open')
    await shown('Possible for 2 records.')
    await shown('No change needed for 1 record.')
    expect(kept.rowOf(11).status).toBe('paid')
    await button('Change 2 records').click()
    await shown('Done: 2 records.')
    const first = { ids: [11, 13], versions: { 11: 1, 13: 1 }, do: { change: { status: 'open' } } }
    await expect.poll(() => written()).toEqual([first])
    await button('Undo').click()
    await shown('2 records are as they were before.')
    const back = { ids: [11, 13], versions: { 11: 2, 13: 2 }, do: { change: { status: 'paid' } } }
    await expect.poll(() => written()).toEqual([first, back])
    await button('Close').click()
    await see(page.getByRole('gridcell', { name: 'paid' }).first())
    await gone(selectedRows)
  })

  test('an undo leaves what a user has changed since, and groups what had the same value', async () => {
    const { kept, written } = await openSelected([7, 14, 15])
    await change('Quantity', '9')
    await button('Change 3 records').click()
    await shown('Done: 3 records.')
    kept.write(15, { notes: 'Urgent' })
    await button('Undo').click()
    await shown('2 records are as they were before.')
    await shown('was changed by another user in the meantime')
    await expect
      .poll(() => written().slice(1))
      .toEqual([
        { ids: [7, 14], versions: { 7: 2, 14: 2 }, do: { change: { quantity: 0 } } },
        { ids: [15], versions: { 15: 2 }, do: { change: { quantity: 1 } } },
      ])
    expect([7, 14, 15].map((id) => kept.rowOf(id).quantity)).toEqual([0, 0, 9])
  })

  test('a record that a user changed after the check is not overwritten, and stays selected', async () => {
    const { kept } = await openSelected([1, 3])
    const dialog = await change('Status', 'open')
    await shown('Possible for 2 records.')
    kept.write(3, { status: null })
    await button('Change 2 records').click()
    await see(dialog.getByText('Not done and still selected: 1 record'))
    await button('Close').click()
    await see(bar.getByText('1 selected'))
    await expect.element(boxOf(3)).toBeChecked()
    await expect
      .element(boxOf(3))
      .toHaveAttribute('aria-description', expect.stringMatching(/changed by another user/))
    expect(kept.rowOf(3).status).toBe(null)
  })

  test('a value that no record may have is said at its field', async () => {
    const errors = [{ path: 'do.change.link', message: 'Enter an address.' }]
    await openSelected([4], {
      answers: { 'POST /order/bulk': problem(422, 'record.invalid', 'No.', { errors }) },
    })
    const dialog = await change('Link', 'nowhere')
    await see(dialog.getByRole('alert').first())
    const input = dialog.getByLabelText('Link', { exact: true })
    await expect.element(input).toHaveAttribute('aria-invalid', 'true')
    await expect.element(input).toHaveValue('nowhere')
  })

  test('all that match are written in requests of a thousand; Stop ends it after the part that is being written', async () => {
    const answered = Promise.withResolvers<void>()
    const { kept, service } = await openSelected([], { count: 1200 })
    const sizes = () =>
      service.asked
        .filter(({ path }) => path === '/order/bulk')
        .map(({ body }) => (body as Body).ids.length)
    await page.getByRole('checkbox', { name: 'Select all that match' }).click()
    await see(bar.getByText('All 1,200 selected'))
    await change('Notes', 'All of them')
    await see(dialogOf('Change a field: 1,200 records'))
    await button('Change 1,200 records').click()
    await shown('Done: 1,200 records.')
    expect(sizes()).toEqual([1000, 200, 1000, 200])
    expect(kept.rows.every(({ notes }) => notes === 'All of them')).toBe(true)
    await button('Close').click()

    await page.getByRole('checkbox', { name: 'Select all that match' }).click()
    await change('Quantity', '77')
    const write = button('Change 1,200 records')
    await see(write)
    const bulk = bulkOf(kept, {})
    service.answer({
      'POST /order/bulk': async (asked) => {
        await answered.promise
        return bulk(asked)
      },
    })
    await write.click()
    await button('Stop').click()
    await see(button('Stopping …'))
    answered.resolve()
    await shown('Done: 1,000 records.')
    await shown('200 records were not reached.')
    await button('Close').click()
    await see(bar.getByText('200 selected'))
    expect(kept.rows.filter(({ quantity }) => quantity === 77)).toHaveLength(1000)
  })
})

describe('a service that is away', () => {
  test('a request whose answer was lost is sent again with the same key', async () => {
    const { kept, service } = await openSelected([1])
    await change('Status', 'open')
    const write = button('Change 1 record')
    await see(write)
    const keys: (string | null)[] = []
    const bulk = bulkOf(kept, {})
    service.answer({
      'POST /order/bulk': (asked) => {
        keys.push(asked.headers.get('Idempotency-Key'))
        if (keys.length === 1) throw new TypeError('The connection was lost.')
        return bulk(asked)
      },
    })
    await write.click()
    await shown('Done: 1 record.')
    expect(keys).toEqual([keys[0], keys[0]])
    expect(keys[0]).toMatch(/./)
  })

  test('what fails says why, and leaves everything selected', async () => {
    const { service } = await openSelected([9])
    const dialog = await change('Status', 'open')
    const write = button('Change 1 record')
    await see(write)
    const full = problem(500, 'request.failed', 'The database is full.')
    service.answer({ 'POST /order/bulk': full })
    await write.click()
    await expect.element(dialog.getByRole('alert')).toHaveTextContent('The database is full.')
    await shown('1 record was not reached.')
    await button('Close').click()
    await see(bar.getByText('1 selected'))
  })
})

test('two orders are selected and changed by keys alone', async () => {
  const { kept } = await openSelected([])
  await see(boxOf(1))
  await press(page.getByRole('grid'), 'x{Shift>}{ArrowDown}{/Shift}')
  await see(page.getByText('2 selected'), button('Change a field …'))
  await userEvent.tab()
  await userEvent.keyboard('{Enter}')
  const dialog = dialogOf('Change a field: 2 records')
  await see(dialog)
  await userEvent.keyboard('{Escape}')
  await gone(dialog)
  await see(page.getByText('2 selected'))
  await userEvent.keyboard('{Enter}')
  await see(dialog)
  // The browser finds an option by its letters.
  await userEvent.keyboard('Quantity')
  await userEvent.tab()
  await userEvent.keyboard('8{Enter}')
  await see(dialog.getByText('Possible for 2 records.'))
  await userEvent.keyboard('{Enter}')
  await see(dialog.getByText('Done: 2 records.'))
  await userEvent.keyboard('{Escape}')
  await gone(dialog)
  expect(kept.rows.map(({ quantity }) => quantity)).toEqual([8, 8])
})

const offered = async (...names: readonly string[]) =>
  expect
    .poll(() =>
      bar
        .getByRole('button', { name: ' …' })
        .elements()
        .map(({ textContent }) => textContent),
    )
    .toEqual(names)

const notified = { 'POST /api/notifications/recipients': notifies() }

describe('workflow actions, removal, taking over', () => {
  test('those are offered that fit the step of any of the records, with how many they fit', async () => {
    await openSelected([1, 2], { steps: { 2: 'review' } })
    await offered('Change a field …', 'Submit (1 of 2) …', 'Approve (1 of 2) …')
    await boxOf(1).click()
    await offered('Change a field …', 'Approve …', 'Reject …')
    await boxOf(2).click()
    await boxOf(1).click()
    await offered('Change a field …', 'Submit …', 'Take over …')
  })

  test('all of the role are offered where the service does not say the steps', async () => {
    const { service, kept } = await openSelected([])
    service.answer({
      'POST /order/search': (asked) =>
        (asked.body as { $group?: unknown }).$group
          ? problem(503, 'request.too-slow', 'It takes too long.')
          : kept.search(asked),
    })
    await boxOf(2).click()
    await offered('Change a field …', 'Submit …', 'Approve …')
  })

  test('an action moves those whose step has it, and says why not the others', async () => {
    const { written } = await openSelected([1, 2, 3], {
      steps: { 2: 'review' },
      refused: { 2: 'workflow.action-not-open' },
      answers: { 'POST /api/notifications/recipients': notifies([ana], { records: 2 }) },
    })
    await bar.getByRole('button', { name: 'Submit (2 of 3) …' }).click()
    const dialog = dialogOf('Submit: 3 records')
    await dialog.getByLabelText('Comment').fill('For the fair')
    await button('Check').click()
    await shown('Possible for 2 records.')
    await shown('the action is not possible in the step of the record')
    await see(page.getByText(/^Notifies Ana Test.* about 2 records/))
    await button('Submit: 2 records').click()
    await shown('Done: 2 records.')
    await gone(button('Undo'))
    await button('Close').click()
    await see(bar.getByText('1 selected'))
    await expect.element(boxOf(2)).toBeChecked()
    await expect
      .poll(() => written())
      .toMatchObject([{ ids: [1, 3], do: { action: 'submit', comment: 'For the fair' } }])
  })

  test('the form of an action is filled in once for all', async () => {
    const { written } = await openSelected([1, 2], {
      steps: { 1: 'review', 2: 'review' },
      answers: notified,
    })
    await button('Approve …').click()
    const dialog = dialogOf('Approve: 2 records')
    await expect
      .element(dialog.getByLabelText('Approved by'))
      .toHaveTextContent('administrator (you)')
    await gone(dialog.getByRole('combobox'))
    await dialog.getByLabelText('Notes').fill('Within budget')
    await button('Check').click()
    await button('Approve: 2 records').click()
    await shown('Done: 2 records.')
    await expect
      .poll(() => written())
      .toMatchObject([
        { ids: [1, 2], do: { action: 'approve', values: { notes: 'Within budget' } } },
      ])
  })

  test('removed records are restored by an undo', async () => {
    const restored = (id: number) => ({
      [`POST /order/${id}/restore`]: { body: { ...emptyOrder, id } },
    })
    const { service, written } = await openSelected([11, 12], {
      answers: { ...restored(11), ...restored(12) },
    })
    await button('More').last().click()
    await item('Remove').click()
    await see(dialogOf('Remove: 2 records'))
    await button('Remove 2 records').click()
    await shown('Done: 2 records.')
    await expect.poll(() => written()).toMatchObject([{ ids: [11, 12], do: { remove: true } }])
    await button('Undo').click()
    await shown('2 records are as they were before.')
    const paths = service.asked.map(({ path }) => path).filter((path) => path.endsWith('/restore'))
    expect(paths).toEqual(['/order/11/restore', '/order/12/restore'])
  })
})

describe('permissions', () => {
  test('a role that may only read is offered nothing', async () => {
    await openSelected([1], { role: 'reader' })
    await see(bar.getByText('1 selected'))
    await offered()
    await gone(button('Actions'))
  })

  test('a role is offered what it may do with some records, and told which it may not', async () => {
    const refused = { 1: 'caller.forbidden', 3: 'caller.forbidden' }
    await openSelected([1, 3], { role: 'clerk', refused })
    await offered('Change a field …', 'Submit …', 'Take over …')
    await button('Take over …').click()
    await see(dialogOf('Take over: 2 records'))
    await button('Back').click()
    await change('Status', 'open')
    await shown('Not possible for any of the records.')
    await shown('not allowed for your role')
  })
})
