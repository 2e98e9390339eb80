/** Content of notifications: Liquid templates, default texts, the comment of an action, and due dates, which end with the work. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { storeBatches } from '../../../src/notify/send-notifications.ts'
import {
  aContent,
  type ListedNotification,
  newEvent,
  notificationsOf,
} from '../../support/notifications/an-inbox.ts'
import { addGroup, type Engine, shareEngine } from './an-engine.ts'

const engine = await shareEngine('content')
before(async () => {
  const { anna, bruno, owen } = engine.ids
  await addGroup(engine, 'all', [anna, bruno, owen])
})

/** The id of a new request of a topic, about which anna is notified, and the contents of these notifications. */
const tell = async (topic: string, values: object = {}, as?: 'bruno') => {
  const id = await engine.create({ topic, approver_id: engine.ids.anna, ...values }, as)
  const contents = (await engine.notificationsAbout(id)).map(({ content }) => content)
  return { id, contents }
}
const contentOf = async (topic: string, values: object = {}, as?: 'bruno') =>
  (await tell(topic, values, as)).contents[0] ?? assert.fail()
const messageOf = async (topic: string, values: object = {}, as?: 'bruno') =>
  (await contentOf(topic, values, as)).message ?? ''
const create = async (path: string, body: object): Promise<number> =>
  (await engine.send('POST', path, body)).id

describe('templates', () => {
  test('can read every field of the record and inside its JSON, the entity, the users of system fields and the actor', async () => {
    const numbers = { number: 'R-1', total: '12345678901.10', needed_by: '2026-06-01' }
    const message = await messageOf('record', { ...numbers, extra: { size: { width: 3 } } })
    assert.match(message, /^\d+ R-1 12345678901\.10 2026-06-01 draft 3$/)
    assert.equal(await messageOf('entity'), 'content: Request by Administrator')
    const actor = 'bruno Example <bruno@example.com> reader'
    assert.equal(await messageOf('actor', {}, 'bruno'), actor)
  })

  test('can read linked records over several links, test a link, and print the name of its record', async () => {
    const region_id = await create('/region', { name: 'North', head_id: engine.ids.clara })
    const supplier_id = await create('/supplier', { name: 'Steel', region_id })
    const linked = 'Steel of North, led by clara Example'
    assert.equal(await messageOf('linked', { supplier_id }), linked)
    assert.equal(await messageOf('linked'), 'of , led by')
    // Suppliers of this project have no display field.
    const optional = await messageOf('optional', { supplier_id })
    assert.equal(optional.toLowerCase(), `from steel (supplier ${supplier_id})`)
    assert.equal(await messageOf('optional'), 'without supplier')
  })

  test('with the recipient are rendered for each recipient, with what they may read of themselves', async () => {
    const people = [engine.ids.anna, engine.ids.owen]
    const setPhone = `UPDATE records."user" SET phone = '555' WHERE id = ANY ($1)`
    await engine.database.pool.query(setPhone, [people])
    const { contents } = await tell('personal')
    assert.deepEqual(
      contents.map(({ title, message }) => `${title}, ${message}`),
      ['Dear anna, reader 555', 'Dear bruno, reader', 'Dear owen, owner'],
    )
  })

  test('can read the action, the names of its steps and the comment', async () => {
    const { id } = await tell('none')
    const comment = 'Please. {{ actor.email }}'
    await engine.act(id, 'note')
    await engine.act(id, 'submit', undefined, { comment })
    const contents = (await engine.notificationsAbout(id)).map(({ content }) => content)
    assert.deepEqual(contents.map(({ title, message }) => [title, message]).sort(), [
      ['note|note|proceedToStep||draft|A draft|draft|A draft', ''],
      ['submit|Ask for approval|proceedToStep||draft|A draft|review|In review', comment],
    ])
  })

  test('do not evaluate the text of a record', async () => {
    const text =
      `{{ actor.email }} {% for i in (1..1000000) %}x{% endfor %} {{ "a" | append: {% raw %}{{
      <script>alert("1")</script> & &amp; \u{1F98A} \u200F株式会社 \\u0000 $& $1 %s`.replaceAll(
        '\n',
        ' ',
      )
    const { message, title } = await contentOf('lines', { number: text, notes: text })
    assert.deepEqual([message, title], [`${text}\n${text}`, `New: Request ${text}`])
  })

  test('can set every part of the content, and an empty due date is null', async () => {
    const { id, contents } = await tell('all parts', { notes: 'bell' })
    assert.deepEqual(contents, [
      { icon: 'bell', title: 'T', message: 'M', url: `/r/${id}`, due_at: null },
    ])
  })
})

describe('default texts', () => {
  test('are those of every operation', async () => {
    const { id } = await tell('default', { number: 'R-7' })
    await engine.takeOwnership(id, 'bruno')
    await engine.act(id, 'submit', 'bruno')
    await engine.act(id, 'approve', 'bruno', { comment: 'Well done.' })
    const contents = (await engine.notificationsAbout(id)).map(({ content }) => content)
    const texts = contents.map(({ icon, title, message }) => `${icon} | ${title} | ${message}`)
    assert.deepEqual(texts.filter((text) => !text.includes('Ask for approval')).sort(), [
      'arrow-right | Request R-7: approve | bruno Example moved Request R-7 from In review to approved. Well done.',
      'plus | New: Request R-7 | Administrator created Request R-7.',
      'user | Request R-7 has a new owner | bruno Example took over Request R-7.',
    ])
    for (const { url, due_at } of contents)
      assert.deepEqual([url, due_at], [`/console/content/${id}`, null])
  })

  test('are used for the parts that a rule does not say, and name a record without a name by its id', async () => {
    const { icon, title, message } = await contentOf('empty message', { number: 'R-8' })
    assert.deepEqual([icon, title, message], ['plus', 'New: Request R-8', ''])
    const { id, contents } = await tell('default')
    assert.equal(contents[0]?.title, `New: Request ${id}`)
  })
})

test('the comment of an action stands once in an e-mail by the built-in template, in the message or below it', async () => {
  const commented = await shareEngine('commented')
  const { anna, bruno } = commented.ids
  const id = await commented.create({ approver_id: anna, deputy_id: bruno })
  await commented.act(id, 'submit', undefined, { comment: 'Before Friday' })
  await commented.settled()
  const { data } = await commented.send('GET', `/api/deliveries?entity=commented&record=${id}`)
  assert.equal(data.length, 2)
  for (const { id: delivery, user } of data) {
    const { text } = await commented.send('GET', `/api/deliveries/${delivery}/message`)
    assert.equal(text.split('Before Friday').length - 1, 1, text)
    assert.equal(text.includes('Comment: Before Friday'), user.id === anna)
  }
})

describe('due dates', () => {
  test('are the day or the moment of a field, in the time zone of the project', async () => {
    for (const [topic, values, expected] of [
      ['day', { needed_by: '2026-07-01' }, '2026-06-30T22:00:00.000Z'],
      ['day', {}, null],
      ['moment', { meeting_at: '2026-07-01 10:30:00' }, '2026-07-01T08:30:00.000Z'],
    ] as const)
      assert.equal((await contentOf(topic, values)).due_at, expected)
  })

  test('that are no dates are logged and explained, and their users are notified', async () => {
    const { id, contents } = await tell('text', { notes: 'tomorrow' })
    assert.equal(contents.length, 1)
    const unread = engine.observed('dueDateUnread').filter((one) => one.id === id)
    assert.deepEqual(
      unread.map(({ entity, entry, count }) => [entity, entry, count]),
      [['content', 12, 1]],
    )
    const body = { entityKey: 'content', entityId: id, operation: 'create' }
    const { entries } = await engine.send('POST', '/api/notifications/explain', body)
    const [recipient] = entries[12].recipients
    assert.deepEqual(
      [recipient.unread_due_date, recipient.content.due_date],
      ['tomorrow', undefined],
    )
  })
})

describe('due dates end with the work', () => {
  let plain: Engine
  before(async () => {
    plain = await shareEngine('without_rules')
  })

  /** The contents of the administrator's notifications about a record. */
  const contentsOf = async ({ send, entity }: Engine, id: number) =>
    ((await send('GET', '/api/notifications?limit=1000')) as ListedNotification[])
      .filter((one) => one.entity_key === entity && one.entity_id === id)
      .map(({ content }) => content)
  const assertDue = async (id: number, isDue: boolean) => {
    const [content, ...others] = await contentsOf(plain, id)
    assert.deepEqual(others, [])
    if (isDue) assert.match(String(content?.due_date), /^\d+ years ago$/)
    else assert.equal(content?.due_date, undefined)
  }
  /** Notifies the administrator of something that was due years ago. */
  const notify = (entityId: number, more: { readonly task_id?: number } = {}) => {
    const content = aContent({ due_at: '2020-01-01T00:00:00.000Z', ...more })
    const event = newEvent({ entityKey: plain.entity, entityId })
    return storeBatches(plain.database.pool, [notificationsOf({ userIds: [1], content }, event)])
  }
  const close = async (id: number) => {
    await plain.act(id, 'submit')
    await plain.act(id, 'approve')
  }

  test('a record in a final step, or one that was removed, is not due; others are', async () => {
    const [open, closed, removed] = [
      await plain.create(),
      await plain.create(),
      await plain.create(),
    ]
    const unknown = 4_000_000
    for (const id of [open, closed, removed, unknown]) {
      await notify(id)
      await assertDue(id, true)
    }
    await close(closed)
    await plain.send('DELETE', `/without_rules/${removed}`)
    for (const id of [open, unknown]) await assertDue(id, true)
    for (const id of [closed, removed]) await assertDue(id, false)
  })

  test('a task is due as long as it is open, whatever the step of its record', async () => {
    const id = await plain.create()
    const path = `/without_rules/${id}`
    const body = {
      description: 'Call',
      assigne_id: plain.ids.anna,
      due_date: '2020-01-01 09:00:00',
    }
    const task_id = await create(`${path}/task`, body)
    await close(id)
    await notify(id, { task_id })
    await assertDue(id, true)
    await plain.send('PUT', `${path}/${task_id}`, { is_completed: true })
    await assertDue(id, false)
  })

  test('what an action asks for is due until the record leaves the step to which it led', async () => {
    const ended = await shareEngine('ended')
    const id = await ended.create()
    for (const [action, due] of [
      [undefined, ['create']],
      ['submit', ['submit', 'create']],
      ['approve', ['approve', 'create']],
      ['reopen', ['submit', 'create']],
    ] as const) {
      if (action) await ended.act(id, action)
      await ended.settled()
      const contents = (await contentsOf(ended, id)).filter(({ due_date }) => due_date)
      assert.deepEqual(
        contents.map(({ title }) => title),
        due,
      )
    }
  })
})

test('no half characters are made of a description that is cut, nor stored from a template', async () => {
  const emoji = '\u{1f600}'
  const id = await engine.create({ number: 'R-1' })
  const description = `a${emoji.repeat(250)}`
  const body = { description, assigne_id: engine.ids.anna }
  await engine.send('POST', `/content/${id}/task`, body)
  const [{ content: told } = assert.fail()] = await engine.notificationsAbout(id)
  assert.equal(told.message, `Administrator: a${emoji.repeat(199)} (Request R-1)`)
  assert.equal((await contentOf('split', { notes: `${emoji}!` })).title, '\ufffd')
  assert.equal((await contentOf('nul', { notes: 'a%00b' })).title, 'a\ufffdb')
})
