/** What a rule's templates render to: limits of each part, titles of one line, due dates, and whether a message says the comment. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ContentPart,
  contentParts,
  type RuleContent,
  renderContent,
} from '../../../src/notify/content.ts'
import { parseTemplate } from '../../../src/templates/liquid-template.ts'

const comment = 'Before Friday'
const render = (parts: Partial<Record<ContentPart, string>>, record: object = {}) => {
  const templates = contentParts.map((part) => [part, parseTemplate(parts[part] ?? '')])
  const data = {
    record,
    before: {},
    names: {},
    actor: {},
    recipient: { id: 7 },
    action: {},
    comment,
    language: 'en',
    entity: { key: 'order', name: 'Order' },
  }
  const timeZone = 'Europe/Zagreb'
  const content = Object.fromEntries(templates) as RuleContent
  return renderContent(content, data, timeZone, { locale: undefined, timeZone })
}

test('a part that is too long is cut, and a URL that is too long is omitted', () => {
  for (const [part, limit] of [
    ['icon', 100],
    ['title', 500],
    ['message', 10_000],
    ['url', 2000],
  ] as const) {
    const textOf = (length: number) => render({ [part]: 'x'.repeat(length) }).content[part]
    assert.equal(textOf(limit), 'x'.repeat(limit))
    assert.equal(textOf(limit + 1), part === 'url' ? null : `${'x'.repeat(limit - 1)}…`)
  }
})

test('a title is one line', () => {
  for (const text of ['a\r\nb', '\na\n\nb\r', 'a \u2028 b'])
    assert.equal(render({ title: '{{ record.text }}' }, { text }).content.title, 'a b')
})

const dueDates: readonly [text: string, due_at: string | null][] = [
  // Midnight in Zagreb, with and without daylight saving time.
  ['2026-07-01', '2026-06-30T22:00:00.000Z'],
  [' 2026-01-01 ', '2025-12-31T23:00:00.000Z'],
  ['2026-07-01 10:30:00', '2026-07-01T08:30:00.000Z'],
  ['2026-07-01T10:30:00-05:00', '2026-07-01T15:30:00.000Z'],
  ...['2026-02-30', 'tomorrow', '12', '<b>2026-07-01</b>'].map((text): [string, null] => [
    text,
    null,
  ]),
]
test('a due date is read as a day or a moment in the time zone of the project, or else told as unread', () => {
  for (const [text, due_at] of dueDates) {
    const { content, unreadDueDate } = render({ due_date: '{{ record.text }}' }, { text })
    assert.deepEqual([content.due_at, unreadDueDate], [due_at, due_at ? undefined : text], text)
  }
  assert.equal(render({ due_date: '{{ record.text }}' }).unreadDueDate, undefined)
})

const comments: readonly (readonly [message: string, isSaid: boolean])[] = [
  ['{{ comment }}', true],
  ['{{ comment | upcase }}', true],
  ['{% capture note %}Note: {{ comment }}{% endcapture %}{{ note }}', true],
  ['{% assign note = comment | append: "." %}{{ note }}', true],
  ['{% if comment != "Hello" %}{{ comment }}{% endif %}', true],
  ['{% if comment == "Before Friday" %}{{ comment }}{% endif %}', true],
  ['{% if comment %}There is a comment.{% endif %}', false],
  ['{% if comment contains "Friday" %}Hurry!{% endif %}', false],
  ['{% if record.total %}{{ comment }}{% endif %}', false],
  ['{% if recipient.id == 8 %}{{ comment }}{% endif %}', false],
  ['{{ comment.size }} characters', false],
  ['{{ comment | truncate: 8 }}', false],
  // Cut off.
  [`${'x'.repeat(9_999)} {{ comment }}`, false],
]
test('a message says the comment if it prints the whole of it, whatever its template names', () => {
  for (const [message, isSaid] of comments)
    assert.equal(render({ message }).content.has_comment === true, isSaid, message)
})
