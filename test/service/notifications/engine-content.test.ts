/** Content of notifications: Liquid templates, default texts; text of a record is not evaluated. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { NotificationRule } from '../../../src/definitions/notification-matching.ts'
import { about } from '../../support/notifications/an-engine-project.ts'
import { act, addGroup, type Engine, startEngine } from './an-engine.ts'

const recipient = { userFields: ['approver'] }
const withMessage = (topic: string, message: string) =>
  about(topic, recipient, { content: { message } })

const rules: readonly NotificationRule[] = [
  withMessage(
    'record',
    '{{ record.id }} {{ record.number }} {{ record.total }} {{ record.needed_by }} {{ record._step }} {{ record.extra.size.width }}',
  ),
  withMessage(
    'linked',
    '{{ record.supplier.name }} of {{ record.supplier.region.name }}, led by {{ record.supplier.region.head.full_name }}',
  ),
  withMessage(
    'optional',
    '{% if record.supplier %}from {{ record.supplier.name }} ({{ record.supplier }}){% else %}without supplier{% endif %}',
  ),
  withMessage('actor', '{{ actor.full_name }} <{{ actor.email }}> {{ actor.security_role.key }}'),
  about(
    'personal',
    { userGroups: ['all'], skipRightsCheck: true },
    {
      content: {
        title: 'Dear {{ recipient.first_name }}',
        message: '{{ recipient.security_role.name }}',
      },
    },
  ),
  withMessage(
    'entity',
    '{{ entity.key }}: {{ entity.name }} by {{ record._created_by.full_name }}',
  ),
  withMessage('empty message', ''),
  about('default', recipient),
  about('all parts', recipient, {
    content: {
      icon: '{{ record.notes }}',
      title: 'T',
      message: 'M',
      url: '/r/{{ record.id }}',
      due_date: '',
    },
  }),
  withMessage('lines', '  {{ record.number }}\n{{ record.notes }}  '),
  { operation: 'takeOwnership', recipient },
  {
    operation: 'proceedToStep',
    action: 'proceedToStep',
    recipient,
    content: {
      title:
        '{{ action.key }}|{{ action.name }}|{{ action.kind }}|{{ action.form }}|{{ action.from }}|{{ action.from_name }}|{{ action.to }}|{{ action.to_name }}',
      message: '{{ comment }}',
    },
  },
  { operation: 'proceedToStep', action: 'decision', recipient },
]

let engine: Engine
before(async () => {
  engine = await startEngine(rules)
  await addGroup(engine, 'all', [engine.ids.anna, engine.ids.bruno, engine.ids.owen])
})
after(() => engine.stop())

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
  const { id } = (await engine.ask('POST', '/request', { body, as })).json()
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
  assert.equal(message, 'request: Request by Administrator')
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
  await engine.ask('POST', `/request/${id}/takeOwnership`, { as })
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
for (const text of hostile)
  test(`text of a record is not evaluated: ${JSON.stringify(text)}`, async () => {
    const { message, title } = await contentOf('lines', { number: text, notes: text })
    assert.equal(message, `${text}\n${text}`)
    assert.equal(title, `New: Request ${text}`)
  })
