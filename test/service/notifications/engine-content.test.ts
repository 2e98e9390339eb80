/** Content of notifications: Liquid templates, default texts, due dates; text of a record is not evaluated. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, describe, test } from 'node:test'
import { awayFromMidnight } from '../../support/away-from-midnight.ts'
import { act, addGroup, type Engine, shareEngine } from './an-engine.ts'

let engine: Engine
before(async () => {
  engine = await shareEngine('content')
  await addGroup(engine, 'all', [engine.ids.anna, engine.ids.bruno, engine.ids.owen])
})

const contentsOf = async (topic: string, values: object = {}) => {
  const id = await engine.create({ topic, approver_id: engine.ids.anna, ...values })
  return (await engine.notificationsAbout(id)).map(({ content }) => content)
}
const contentOf = async (topic: string, values: object = {}) => {
  const [content] = await contentsOf(topic, values)
  assert.ok(content)
  return content
}
const create = async (path: string, body: object): Promise<number> =>
  (await engine.ask('POST', path, { body })).json().id

test('templates can read every field of the record and inside its JSON', async () => {
  const values = {
    number: 'R-1',
    total: '12345678901.10',
    needed_by: '2026-06-01',
    extra: { size: { width: 3 } },
  }
  const { message } = await contentOf('record', values)
  assert.match(message ?? '', /^\d+ R-1 12345678901\.10 2026-06-01 draft 3$/)
})

test('templates can read linked records over several links', async () => {
  const region_id = await create('/region', { name: 'North', head_id: engine.ids.clara })
  const supplier_id = await create('/supplier', { name: 'Steel', region_id })
  const { message } = await contentOf('linked', { supplier_id })
  assert.equal(message, 'Steel of North, led by clara Example')
  assert.equal((await contentOf('linked')).message, 'of , led by')
})

test('a link can be tested in a condition, and prints the name of the record', async () => {
  const supplier_id = await create('/supplier', { name: 'Steel' })
  // Suppliers of this project have no display field.
  const { message } = await contentOf('optional', { supplier_id })
  assert.equal(message?.toLowerCase(), `from steel (supplier ${supplier_id})`)
  assert.equal((await contentOf('optional')).message, 'without supplier')
})

test('templates can read the actor', async () => {
  const as = engine.mailOf('bruno')
  const body = { topic: 'actor', approver_id: engine.ids.anna }
  const { id } = (await engine.ask('POST', '/content', { body, as })).json()
  const [notification] = await engine.notificationsAbout(id)
  assert.equal(notification?.content.message, 'bruno Example <bruno@example.com> reader')
})

test('templates with the recipient are rendered for each recipient', async () => {
  const contents = await contentsOf('personal')
  assert.deepEqual(
    contents.map(({ title, message }) => [title, message]),
    [
      ['Dear anna', 'reader'],
      ['Dear bruno', 'reader'],
      ['Dear owen', 'owner'],
    ],
  )
})

test('templates can read the entity and the users of system fields', async () => {
  const { message } = await contentOf('entity')
  assert.equal(message, 'content: Request by Administrator')
})

test('templates can read the action, the names of its steps and the comment', async () => {
  const id = await engine.create({ approver_id: engine.ids.anna })
  await act(engine, id, { action: 'note' })
  await act(engine, id, { action: 'submit', comment: 'Please. {{ actor.email }}' })
  assert.deepEqual(
    (await engine.notificationsAbout(id))
      .map(({ content: { title, message } }) => [title, message])
      .sort(),
    [
      ['note|note|proceedToStep||draft|A draft|draft|A draft', ''],
      [
        'submit|Ask for approval|proceedToStep||draft|A draft|review|In review',
        'Please. {{ actor.email }}',
      ],
    ],
  )
})

test('every operation has default texts', async () => {
  const id = await engine.create({ topic: 'default', number: 'R-7', approver_id: engine.ids.anna })
  const as = engine.mailOf('bruno')
  await engine.ask('POST', `/content/${id}/takeOwnership`, { as })
  await act(engine, id, { action: 'submit' }, 'bruno')
  await act(engine, id, { action: 'approve', comment: 'Well done.' }, 'bruno')
  const contents = (await engine.notificationsAbout(id)).map(({ content }) => content)
  assert.deepEqual(
    contents
      .map(({ icon, title, message }) => `${icon} | ${title} | ${message}`)
      .filter((text) => !text.includes('Ask for approval'))
      .sort(),
    [
      'arrow-right | Request R-7: approve | bruno Example moved Request R-7 from In review to approved. Well done.',
      'plus | New: Request R-7 | Administrator created Request R-7.',
      'user | Request R-7 has a new owner | bruno Example took over Request R-7.',
    ],
  )
  for (const { url, due_at } of contents) assert.deepEqual([url, due_at], [null, null])
})

test('a rule with one part of the content has the default texts for the other parts', async () => {
  const { icon, title, message } = await contentOf('empty message', { number: 'R-8' })
  assert.deepEqual([icon, title, message], ['plus', 'New: Request R-8', ''])
})

test('a record with an empty display field is named by its id', async () => {
  const id = await engine.create({ topic: 'default', approver_id: engine.ids.anna })
  const titles = (await engine.notificationsAbout(id)).map(({ content }) => content.title)
  assert.deepEqual(titles, [`New: Request ${id}`])
})

test('a rule can set every part of the content, and an empty due date is null', async () => {
  const id = await engine.create({
    topic: 'all parts',
    notes: 'bell',
    approver_id: engine.ids.anna,
  })
  const [notification] = await engine.notificationsAbout(id)
  assert.deepEqual(notification?.content, {
    icon: 'bell',
    title: 'T',
    message: 'M',
    url: `/r/${id}`,
    due_at: null,
  })
})

const hostile = [
  '{{ actor.email }}',
  '{% for i in (1..1000000) %}x{% endfor %}',
  '{{ "a" | append:',
  '{% raw %}{{',
  '<script>alert("1")</script> & &amp; \'',
  '\u{1F98A} \u200F株式会社',
  '\\u0000 $& $1 %s',
]
test('text of a record is not evaluated', async () => {
  for (const text of hostile) {
    const { message, title } = await contentOf('lines', { number: text, notes: text })
    assert.deepEqual([message, title], [`${text}\n${text}`, `New: Request ${text}`])
  }
})

describe('due dates', () => {
  const dueAtOf = async (topic: string, values: object) => {
    const id = await engine.create({ topic, approver_id: engine.ids.anna, ...values })
    const [notification] = await engine.notificationsAbout(id)
    assert.ok(notification)
    return notification.content.due_at
  }

  const dueDates: readonly [topic: string, values: object, due_at: string | null][] = [
    // Midnight in Zagreb, with and without daylight saving time.
    ['day', { needed_by: '2026-07-01' }, '2026-06-30T22:00:00.000Z'],
    ['day', { needed_by: '2026-01-01' }, '2025-12-31T23:00:00.000Z'],
    ['day', {}, null],
    ['moment', { meeting_at: '2026-07-01 10:30:00' }, '2026-07-01T08:30:00.000Z'],
    ['moment', { meeting_at: '2026-07-01T10:30:00-05:00' }, '2026-07-01T15:30:00.000Z'],
    ['text', { notes: '2026-07-01 10:30:00' }, '2026-07-01T08:30:00.000Z'],
    ['text', { notes: ' 2026-07-01 ' }, '2026-06-30T22:00:00.000Z'],
    ['text', { notes: '2026-02-30' }, null],
    ['text', { notes: 'tomorrow' }, null],
    ['text', { notes: '12' }, null],
    ['text', { notes: '<b>2026-07-01</b>' }, null],
  ]
  test('a due date is read as a day or a moment, in the time zone of the project', async () => {
    for (const [topic, values, due_at] of dueDates)
      assert.equal(await dueAtOf(topic, values), due_at, `${topic} ${JSON.stringify(values)}`)
  })

  test('a due date that is no date is logged and explained, and its users are notified', async () => {
    const id = await engine.create({
      ...{ topic: 'text', notes: 'tomorrow', approver_id: engine.ids.anna },
    })
    assert.equal((await engine.notificationsAbout(id)).length, 1)
    const unread = engine.observed('dueDateUnread').filter((one) => one.id === id)
    assert.deepEqual(
      unread.map(({ entity, entry, count }) => [entity, entry, count]),
      [['content', 12, 1]],
    )
    const body = { entityKey: 'content', entityId: id, operation: 'create' }
    const reply = await engine.ask('POST', '/api/notifications/explain', { body })
    const [recipient] = reply.json().entries[12].recipients
    assert.equal(recipient.unread_due_date, 'tomorrow')
    assert.equal(recipient.content.due_date, undefined)
  })

  test('the list shows a due date relative to now, in the language of the caller', async () => {
    await awayFromMidnight('Europe/Zagreb')
    // At any hour of the day: days are those of the calendar.
    const day = Temporal.Now.plainDateISO('Europe/Zagreb').add({ days: 2 })
    await dueAtOf('text', { notes: `${day} 12:00:00` })
    const listed = async (language: string) => {
      const headers = { 'Accept-Language': language }
      const as = engine.mailOf('anna')
      return (await engine.ask('GET', '/api/notifications?limit=1', { as, headers })).json()[0]
        .content
    }
    assert.equal((await listed('en')).due_date, 'in 2 days')
    assert.equal((await listed('de')).due_date, 'in 2 Tagen')
  })
})

describe('half characters', () => {
  const emoji = '\u{1f600}'
  const sorted = async () => {
    const reply = await engine.ask('GET', '/api/notifications?sortField=content&limit=1000', {
      as: engine.mailOf('anna'),
    })
    assert.equal(reply.status, 200, reply.text)
    assert.ok(reply.text.isWellFormed())
    assert.doesNotMatch(reply.text, /(?<!\\)\\u(d[89a-f]|0000)/)
    return reply.json().map(({ content }: { content: { title: string } }) => content)
  }

  test('the first line of a description is truncated between characters', async () => {
    const record = await engine.create({ number: 'R-1' })
    const body = { description: `a${emoji.repeat(250)}`, assigne_id: engine.ids.anna }
    const reply = await engine.ask('POST', `/content/${record}/task`, { body })
    assert.equal(reply.status, 201, reply.text)
    await engine.settled()
    const messages = (await sorted()).map(({ message }: { message: string }) => message)
    assert.ok(messages.includes(`Administrator: a${emoji.repeat(199)} (Request R-1)`))
  })

  test('half a character from a template is stored as U+FFFD', async () => {
    const approver_id = engine.ids.anna
    for (const [topic, notes, title] of [
      ['split', `${emoji}!`, '\ufffd'],
      ['nul', 'a%00b', 'a\ufffdb'],
    ] as const) {
      const id = await engine.create({ topic, notes, approver_id })
      assert.equal((await engine.notificationsAbout(id))[0]?.content.title, title)
    }
    assert.ok((await sorted()).length >= 2)
  })

  const migrationFile = new URL(
    '../../../src/database/migrations/0020-whole-characters.sql',
    import.meta.url,
  )

  test('the migration corrects stored texts with half a character', async () => {
    const { pool } = engine.database
    // Two backslashes are followed by plain letters.
    const stored = String.raw`{"icon":"","title":"\ud83d","message":"\\ud83d \\\ud83d\ude00\ud83d \u0000 😀","url":null,"due_at":null}`
    const { rows } = await pool.query<{ id: string }>(
      `INSERT INTO docket.notification (_id, timestamp, user_id, entity_id, entity_key, content)
       VALUES (gen_random_uuid(), now(), $1, 1, 'request', $2) RETURNING _id AS id`,
      [engine.ids.anna, stored],
    )
    await pool.query(await readFile(migrationFile, 'utf8'))
    const found = await pool.query<{ content: string }>(
      'SELECT content FROM docket.notification WHERE _id = $1',
      [rows[0]?.id],
    )
    const { title, message } = JSON.parse(found.rows[0]?.content ?? '')
    assert.equal(title, '\ufffd')
    assert.equal(message, '\\ud83d \\\ufffd\ufffd\ufffd \ufffd 😀')
    await sorted()
    await pool.query('DELETE FROM docket.notification WHERE _id = $1', [rows[0]?.id])
  })
})
