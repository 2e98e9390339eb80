/** Tasks: the user's own over all records, and those of a record on its page. */
import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { cleanup } from 'vitest-browser-react'
import { readDraftNames } from '../../console/api/own/drafts.ts'
import { type Answers, problem } from './support/answers.ts'
import { finds, foundOf } from './support/given.ts'
import { keepTasks, people, type TaskRow, taskOf } from './support/keep-tasks.ts'
import { type Opening, openConsole, press, say } from './support/open-console.tsx'
import { adria, ordersProject } from './support/orders.ts'
import { button, dialogOf, item, link } from './support/parts.ts'
import { focus, gone, see, sent, wrote } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const early = '2020-01-01T08:00:00.000Z'
const late = '2036-02-01T08:00:00.000Z'

const box = (name: string) => page.getByRole('checkbox', { name })
const whatToDo = page.getByRole('textbox', { name: 'What to do' })
const tab = (name: string) =>
  page.getByRole('group', { name: 'My tasks' }).getByText(name, { exact: true })

const open = async (path: string, given: readonly TaskRow[], options: Opening = {}) => {
  const kept = keepTasks(given, ['order/1', 'customer/1'])
  const { answers, ...rest } = options
  const opened = () =>
    openConsole(path, {
      project: ordersProject,
      records: {
        order: [{ id: 1, number: 'T-1', customer_id: 1 }],
        customer: adria,
        ...(options.role === undefined && { user: people }),
      },
      answers: {
        ...kept.answers,
        'GET /api/people': ({ query }) => {
          const words = (query.get('q') ?? '').toLowerCase()
          const data = people.filter(({ full_name }) => full_name.toLowerCase().includes(words))
          return { body: { data } }
        },
        'GET /api/search': finds(foundOf('order', 1, 'T-1', 'number')),
        ...answers,
      } satisfies Answers,
      ...rest,
    })
  return { ...kept, service: await opened(), openAgain: opened }
}

describe('my tasks', () => {
  const own = [
    taskOf(1, 'Compare the offers', { due_date: early }),
    taskOf(2, 'Call the carrier', { due_date: late }),
    taskOf(3, 'Without a date', { key: 'customer' }),
  ]
  const openOwn = (options: Opening = {}) => open('/-/tasks', own, options)

  test('are listed by when they are due, in the zone of the user, with the numbers of the service and their records', async () => {
    const { service } = await openOwn({ settings: { timeZone: 'Pacific/Kiritimati' } })
    await tab('Overdue 1').click()
    await see(box('Compare the offers'))
    await gone(box('Call the carrier'))
    await see(page.getByText('Overdue: '))
    expect(location.search).toMatch(/status=overdue/)
    await tab('Upcoming 1').click()
    await see(box('Call the carrier'))
    await tab('All open 3').click()
    await see(tab('Today 0'))
    const zones = service.asked
      .filter(({ path }) => path.startsWith('/api/tasks'))
      .map(({ query }) => query.get('timeZone'))
    expect(new Set(zones)).toEqual(new Set(['Pacific/Kiritimati']))
    expect(await findViolations()).toEqual([])
    await link('Adria Metal').click()
    await see(page.getByRole('heading', { name: 'Adria Metal' }))
  })

  test('one is completed at once, and taken back by a key', async () => {
    const { service } = await openOwn()
    await press(box('Call the carrier'), '[Space]')
    await see(page.getByText('Done: Call the carrier'), tab('All open 2'), tab('Upcoming 0'))
    await userEvent.keyboard('z')
    await see(box('Call the carrier'), tab('All open 3'))
    await wrote(service, 'PUT /order/1/2', { is_completed: true }, { is_completed: false })
  })

  test('one is created by keys alone, for another user, on a record that is found', async () => {
    const { service } = await openOwn()
    await see(button('Create a task'))
    await userEvent.keyboard('c')
    const dialog = dialogOf('Create a task')
    await expect.element(whatToDo).toHaveFocus()
    await userEvent.keyboard('Ask for a discount{Tab}T-1')
    await see(dialog.getByRole('option', { name: 'T-1 Order' }))
    await userEvent.keyboard('{Enter}{Tab}{Control>}a{/Control}Hor')
    await see(dialog.getByRole('option', { name: 'Ana Horvat' }))
    await userEvent.keyboard('{Enter}')
    const due = dialog.getByLabelText('Due')
    await due.fill('2031-05-04T10:30')
    await press(due, '{Enter}')
    await gone(dialog)
    await wrote(service, 'POST /order/1/task', {
      description: 'Ask for a discount',
      due_date: '2031-05-04T08:30:00.000Z',
      assigne_id: 2,
    })
  })

  test('an assignee without further rights completes theirs, and is offered no more', async () => {
    await open('/-/tasks', [taskOf(1, 'Ask for a discount')], { role: 'reader' })
    await box('Ask for a discount').click()
    await see(page.getByText('Done: Ask for a discount'), page.getByText('You have no open tasks.'))
    await gone(button('Create a task'))
  })

  test('what others assign or remove appears by itself, in the page and in the navigation', async () => {
    const { tasks, remove, service } = await openOwn()
    await see(box('Compare the offers'))
    tasks.push(taskOf(4, 'Renew the contract', { due_date: early }))
    await say('', 'tasks', {})
    await see(box('Renew the contract'))
    const navigation = page.getByRole('navigation', { name: 'Main navigation' })
    await see(navigation.getByRole('link', { name: 'My tasks 2 overdue' }))
    // Removed just before the service hears of the click.
    remove(2)
    service.answer({
      'PUT /order/1/2': problem(404, 'record.unknown', 'There is no such task.'),
    })
    await box('Call the carrier').click()
    await see(page.getByRole('alert'))
    await gone(box('Call the carrier'))
  })
})

describe('tasks of a record', () => {
  const openTasks = async (given: readonly TaskRow[], options: Opening = {}) => {
    const opened = await open('/order/1#tasks', given, options)
    await see(page.getByRole('tab', { name: 'Tasks', selected: true }))
    return opened
  }
  const menu = async (task: string, entry: string) => {
    await button(`Menu of the task ${task}`).click()
    await item(entry).click()
  }

  test('one is created for another user, by keys alone; what the service refuses is said, and nothing typed is lost', async () => {
    const { service, tasks, answers } = await openTasks([])
    await see(page.getByText('No tasks yet.'))
    await press(button('Create a task'), '{Enter}')
    const dialog = dialogOf('Create a task')
    await focus(whatToDo)
    await userEvent.keyboard('Compare the offers{Tab}{Control>}a{/Control}hor')
    await see(dialog.getByRole('option', { name: 'Ana Horvat' }))
    await userEvent.keyboard('{Enter}')
    await dialog.getByLabelText('Due').fill('2036-02-01T09:00')
    service.answer({ 'POST /order/1/task': problem(422, 'record.invalid', 'Too many tasks.') })
    const create = dialog.getByRole('button', { name: 'Create a task' })
    await press(create, '{Enter}')
    await see(dialog.getByRole('alert').getByText('Too many tasks.'))
    await expect.element(whatToDo).toHaveValue('Compare the offers')
    expect(await findViolations()).toEqual([])
    service.answer(answers)
    await press(create, '{Enter}')
    await see(box('Compare the offers'), page.getByText('Ana Horvat'))
    await see(page.getByRole('tab', { name: 'Tasks 1' }))
    expect(tasks).toMatchObject([
      { description: 'Compare the offers', due_date: late, assigne_id: 2, is_completed: false },
    ])
  })

  test('an assignee has a name for a role that reads no users, also in the form', async () => {
    await openTasks([taskOf(1, 'Call', { assigne_id: 2 })], { role: 'planner' })
    await see(page.getByRole('tabpanel').getByText('Ana Horvat'))
    await menu('Call', 'Change the task')
    await expect
      .element(dialogOf('Change the task').getByRole('combobox', { name: 'Assigned to' }))
      .toHaveValue('Ana Horvat')
  })

  test('one is completed at once, taken back by a key, changed and removed; the history is read again', async () => {
    const { tasks, service } = await openTasks([taskOf(1, 'Call', { due_date: early })])
    const readHistory = () => service.asked.filter(({ path }) => path === '/order/1/history').length
    await see(page.getByText('Overdue: '))
    const before = readHistory()
    await box('Call').click()
    await see(page.getByText('Done: Call'))
    await page.getByText('Done 1').click()
    await see(box('Call'))
    expect(await findViolations()).toEqual([])
    expect(tasks[0]?.is_completed).toBe(true)
    await expect.poll(readHistory).toBeGreaterThan(before)
    await userEvent.keyboard('z')
    await gone(page.getByText('Done 1'))
    expect(tasks[0]?.is_completed).toBe(false)
    await menu('Call', 'Change the task')
    await whatToDo.fill('Write')
    await button('Save').click()
    await see(box('Write'))
    await expect
      .poll(() => sent(service, 'PUT /order/1/1').at(-1))
      .toEqual({ description: 'Write' })
    await menu('Write', 'Remove the task')
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the task' }).click()
    await see(page.getByText('No tasks yet.'))
    expect(tasks).toEqual([])
  })

  test('what others changed meanwhile stays, and of the same field one of both is chosen', async () => {
    const { tasks, write, openAgain } = await openTasks([taskOf(1, 'Call')])
    const dialog = dialogOf('Change the task')
    const saveIt = dialog.getByRole('button', { name: 'Save' })
    await menu('Call', 'Change the task')
    await whatToDo.fill('Write')
    write(1, { description: 'Visit', due_date: late })
    await saveIt.click()
    await see(dialog.getByRole('alert').getByText('Saved by another user: Visit'))
    await expect.element(whatToDo).toHaveValue('Write')
    expect(await findViolations()).toEqual([])
    await press(dialog.getByRole('button', { name: 'Keep mine' }), '{Enter}')
    await press(saveIt, '{Enter}')
    await see(box('Write'))
    expect(tasks).toMatchObject([{ description: 'Write', due_date: late }])
    // What was typed and not sent does not win over what others save before the form is opened again.
    await menu('Write', 'Change the task')
    await whatToDo.fill('Send a letter')
    await expect.poll(() => readDraftNames(1)).toHaveLength(1)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    write(1, { description: 'Invite' })
    await cleanup()
    await openAgain()
    await menu('Invite', 'Change the task')
    await see(dialog.getByRole('alert').getByText('Saved by another user: Invite'))
    await dialog.getByRole('button', { name: 'Take theirs' }).click()
    await saveIt.click()
    await gone(dialog)
    expect(tasks).toMatchObject([{ description: 'Invite' }])
  })

  test('an assignee who may only read the record finds theirs there, and completes it', async () => {
    const given = [taskOf(1, 'Call'), taskOf(2, 'Write', { assigne_id: 2 })]
    const own = { body: [given[0]] }
    const { tasks } = await openTasks(given, {
      role: 'reader',
      answers: { 'GET /order/1/task': own },
    })
    await see(box('Call'), page.getByRole('tab', { name: 'Tasks 1' }))
    expect(button('Create a task').elements()).toEqual([])
    expect(button('Menu of the task Call').elements()).toEqual([])
    await box('Call').click()
    await expect.poll(() => tasks[0]?.is_completed).toBe(true)
  })

  test('who may not see the tasks of a record is neither shown nor refused them', async () => {
    const { service } = await open('/order/1', [], { role: 'reader' })
    await see(page.getByRole('heading', { name: 'T-1' }))
    await gone(page.getByRole('tab', { name: 'Tasks' }))
    expect(service.asked.map(({ path }) => path)).not.toContain('/order/1/task')
  })
})
