/** What others change while a list or a record is open: it is shown without being asked for. */
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { pageOf, problem } from './support/answers.ts'
import { entryOf } from './support/given.ts'
import { type Opening, press, say } from './support/open-console.tsx'
import { emptyOrder, numberOf, openKept, orderList } from './support/orders.ts'
import { button } from './support/parts.ts'
import { gone, input, keysOf, see, sent, wrote } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const orderOf = (id: number, more: object = {}) => ({
  ...emptyOrder,
  id,
  number: numberOf(id),
  total: '1.00',
  status: 'open',
  ...more,
})
const orders = [2, 4, 6].map((id) => orderOf(id))

const rowAt = (row: number) => page.getByRole('row').nth(row)
const status = page.getByRole('status')
const grid = page.getByRole('grid')

const openList = async (options: Opening = {}, where: object = { status: 'open' }) => {
  const search = { w: where, s: ['number'], c: ['number', 'total', 'status'] }
  const { kept, service } = await openKept(orderList(search), orders, options)
  await expect
    .poll(() => service.asked.filter(({ path }) => path === '/order/search').length)
    .toBe(2)
  /** Another user changes an order. */
  const change = (id: number, values: object) => {
    const { _version: version } = kept.write(id, values)
    return say('order', 'record', { entity: 'order', id, version, by: 2 })
  }
  /** Another user creates an order. */
  const create = (id: number, place: number, more: object = {}) => {
    kept.add(orderOf(id, more), place)
    return say('order', 'record', { entity: 'order', id, version: 1, by: 2, created: true })
  }
  return { service, kept, change, create }
}

describe('a list that others change', () => {
  test.for(['administrator', 'reader'])('a changed row is shown in its place: %s', async (role) => {
    const { change } = await openList({ role })
    await change(4, { total: '77.00' })
    await see(rowAt(2).getByText('77.00'))
  })

  test('a row that does not match any more, and one that was removed, stay and say so', async () => {
    const { kept, change } = await openList()
    await change(2, { status: 'paid' })
    await see(rowAt(1).getByText('no longer matches'))
    kept.remove(4)
    await say('order', 'record', { entity: 'order', id: 4, gone: true })
    await see(rowAt(2).getByText('removed'), page.getByText('1 record', { exact: true }))
    await see(rowAt(3).getByText(numberOf(6)))
    expect(await findViolations()).toEqual([])
    await change(2, { status: 'open' })
    await gone(rowAt(1).getByText('no longer matches'))
  })

  test('new records are announced, and come when the user wants them', async () => {
    const { create } = await openList()
    await create(1, 0)
    await create(7, 4)
    await see(status.getByText('2 new records'), rowAt(1).getByText(numberOf(2)))
    expect(await findViolations()).toEqual([])
    // By keys, from the head of the list.
    await press(button('Show them'), '{Enter}')
    await see(rowAt(1).getByText(numberOf(1)), rowAt(5).getByText(numberOf(7)))
    await expect.element(grid).toHaveFocus()
    await gone(page.getByText('2 new records'))
  })

  test('new records are all counted, also those that come while others are counted', async () => {
    const { service, kept, create } = await openList()
    const held = Promise.withResolvers<void>()
    const counted: unknown[] = []
    service.answer({
      'POST /order/search': async (asked) => {
        const { $where, $count } = asked.body as { $where?: object; $count?: boolean }
        const isOfNew = $count && JSON.stringify($where).includes('$in')
        const answer = kept.search(asked)
        if (isOfNew && counted.push($where) === 1) await held.promise
        return answer
      },
    })
    await create(7, 3)
    await expect.poll(() => counted.length).toBe(1)
    await create(8, 4)
    // Longer than the page collects changes: another count would be asked for by now, and could be answered first.
    await new Promise((resolve) => setTimeout(resolve, 150))
    expect(counted).toHaveLength(1)
    held.resolve()
    await see(status.getByText('2 new records'))
    const among = (...ids: readonly number[]) => ({
      $and: [{ status: 'open' }, { id: { $in: ids } }],
    })
    expect(counted).toEqual([among(7), among(7, 8)])
  })

  test('what the filter does not match, and what the user has created, is not announced', async () => {
    const { service, kept, create } = await openList()
    await create(5, 3, { status: 'paid' })
    kept.add(orderOf(9), 3)
    await say('order', 'record', { entity: 'order', id: 9, version: 1, by: 1, created: true })
    await create(7, 4)
    await see(status.getByText('1 new record', { exact: true }))
    expect(JSON.stringify(service.asked.map(({ body }) => body))).not.toContain('"$in":[9')
  })

  test('the first record comes into an empty list by itself', async () => {
    const { create } = await openList({}, { number: numberOf(9) })
    await see(page.getByText('No record matches the filter.'))
    await create(9, 3)
    await see(page.getByRole('gridcell', { name: numberOf(9), exact: true }))
  })

  test('an open cell keeps what is typed while its row changes', async () => {
    const { change } = await openList()
    await rowAt(1).getByRole('gridcell').nth(2).dblClick()
    const cell = page.getByLabelText(`Total of ${numberOf(2)}`)
    await cell.fill('5.00')
    await change(2, { status: 'paid', total: '9.00' })
    await see(rowAt(1).getByText('no longer matches'))
    await expect.element(cell).toHaveValue('5.00')
    await userEvent.keyboard('{Enter}')
    await see(button('Save mine'))
  })
})

describe('a record that others change', () => {
  const announced = page.getByText('Sale Horvat has just changed this record.')
  const unknown = problem(404, 'record.unknown', 'There is no such record.')

  const openRecord = async () => {
    const entry = entryOf(1, { operation: 'update', user: { id: 2, full_name: 'Sale Horvat' } })
    const { kept, service } = await openKept('/order/2', orders, {
      answers: { 'GET /order/2/history': pageOf([entry]) },
    })
    await see(input('Total'))
    const change = (values: object) => {
      const { _version: version } = kept.write(2, values)
      return say('order/2', 'record', { entity: 'order', id: 2, version, by: 2 })
    }
    return { service, kept, change }
  }

  test('the change is shown, with who made it', async () => {
    const { change } = await openRecord()
    await change({ total: '66.00' })
    await see(announced)
    await expect.element(input('Total')).toHaveValue('66.00')
    expect(await findViolations()).toEqual([])
    await press(button('Close'), '{Enter}')
    await gone(announced)
  })

  test('what is being typed is kept', async () => {
    const { service, kept, change } = await openRecord()
    await input('Notes').fill('Mine')
    await change({ total: '67.00' })
    await see(page.getByText('Your changes are kept'))
    await expect.element(input('Notes')).toHaveValue('Mine')
    await button('Save').click()
    await expect.element(input('Total')).toHaveValue('67.00')
    await expect.element(input('Notes')).toHaveValue('Mine')
    await button('Save').click()
    await expect.poll(() => kept.rowOf(2)).toMatchObject({ total: '67.00', notes: 'Mine' })
    await wrote(service, 'PATCH /order/2', { notes: 'Mine' }, { notes: 'Mine' })
  })

  test.for([
    ['Keep mine', 'Mine'],
    ['Take theirs', 'Theirs'],
  ] as const)(
    'of a field that both changed the user takes one before anything is saved: %s',
    async (row) => {
      const [choice, expected] = row
      const { service, kept } = await openRecord()
      await input('Notes').fill('Mine')
      await input('Quantity').fill('7')
      kept.write(2, { notes: 'Theirs' })
      await button('Save').click()
      await see(page.getByText('Saved by another user: Theirs'))
      await expect.element(button('Save')).toBeDisabled()
      await userEvent.keyboard('{Control>}s{/Control}')
      await button(choice).click()
      await button('Save').click()
      await expect.poll(() => kept.rowOf(2)).toMatchObject({ notes: expected, quantity: 7 })
      expect(sent(service, 'PATCH /order/2')).toHaveLength(2)
    },
  )

  test('what the user saves, once if no answer came, is not announced', async () => {
    const { service, kept, change } = await openRecord()
    const away = () => {
      throw new TypeError('Nobody answers.')
    }
    service.answer({ 'PATCH /order/2': away })
    await input('Notes').fill('Mine')
    await button('Save').click()
    await expect.poll(() => keysOf(service, 'PATCH /order/2')).toHaveLength(1)
    service.answer(kept.answers)
    await button('Save').click()
    await gone(button('Save'))
    const [first, ...again] = keysOf(service, 'PATCH /order/2')
    expect(again, 'of the change that was sent again').toEqual([first])
    await say('order/2', 'record', {
      entity: 'order',
      id: 2,
      version: kept.rowOf(2)._version,
      by: 1,
    })
    await change({ total: '68.00' })
    await see(announced)
    expect(page.getByText('has just changed this record').elements()).toHaveLength(1)
  })

  test('a user without a name is "A user"', async () => {
    const { service, kept } = await openRecord()
    service.answer({ 'GET /order/2/history': pageOf([]) })
    const { _version: version } = kept.write(2, { total: '69.00' })
    await say('order/2', 'record', { entity: 'order', id: 2, version, by: null })
    await see(page.getByText('A user has just changed this record.'))
    await expect.element(input('Total')).toHaveValue('69.00')
  })

  test('its removal is said to who saves it without having heard of that', async () => {
    const { service } = await openRecord()
    await input('Notes').fill('Mine')
    service.answer({ 'GET /order/2': unknown, 'PATCH /order/2': unknown })
    await button('Save').click()
    await see(status.getByText('This record was just removed'))
    await expect.element(input('Notes')).toHaveValue('Mine')
  })

  test('its removal is said, and what was typed can be copied but not saved', async () => {
    const { service } = await openRecord()
    const writeText = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
    onTestFinished(() => writeText.mockRestore())
    await input('Notes').fill('Mine')
    await input('Total').fill('1234.5')
    service.answer({ 'GET /order/2': unknown })
    await say('order/2', 'record', { entity: 'order', id: 2, gone: true })
    await see(status.getByText('This record was just removed, or you may no longer see it.'))
    await gone(page.getByText('has just changed this record'))
    await expect.element(input('Notes')).toHaveValue('Mine')
    await expect.element(button('Save')).toBeDisabled()
    expect(await findViolations()).toEqual([])
    await press(button('Copy what I typed'), '{Enter}')
    await see(button('Copied'))
    expect(writeText.mock.calls).toEqual([['Total: 1,234.50\nNotes: Mine']])
    await userEvent.keyboard('{Control>}s{/Control}')
    await wrote(service, 'PATCH /order/2')
  })
})
