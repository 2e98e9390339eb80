/** The comment of an action in e-mails by the built-in template: once, wherever the rule says it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { act, type Engine, startEngine } from '../notifications/an-engine.ts'

const onSubmit = { operation: 'proceedToStep', action: 'submit' } as const
const contentOf = (message: string) => ({ icon: 'inbox', title: 'To decide', message })

// What a message prints, and whether the e-mail says the comment below it.
const messages: readonly (readonly [message: string, isBelow: boolean])[] = [
  ['{{ comment }}', false],
  ['{{ comment | upcase }}', false],
  ['{% capture note %}Note: {{ comment }}{% endcapture %}{{ note }}', false],
  ['{% assign note = comment | append: "." %}{{ note }}', false],
  ['{% if comment != "Hello" %}{{ comment }}{% endif %}', false],
  ['{% if comment == "Before Friday" %}{{ comment }}{% endif %}', false],
  ['{% if comment %}There is a comment.{% endif %}', true],
  ['{% if comment contains "Friday" %}Hurry!{% endif %}', true],
  ['{% unless comment %}{{ comment }}{% endunless %}', true],
  ['{% if record.total %}{{ comment }}{% endif %}', true],
  ['{% if recipient.id == record.deputy.id %}{{ comment }}{% endif %}', true],
  ['{{ comment.size }} characters', true],
  ['{{ comment | truncate: 8 }}', true],
]
const place = { operation: 'proceedToStep', action: 'note' } as const

let engine: Engine
before(async () => {
  engine = await startEngine([
    {
      ...{ ...onSubmit, recipient: { userFields: ['approver'] } },
      content: contentOf('Please decide.{% if comment %} Comment: {{ comment }}{% endif %}'),
    },
    {
      ...{ ...onSubmit, recipient: { userFields: ['deputy'] } },
      content: contentOf('Please decide.'),
    },
    ...messages.map(([message], index) => ({
      ...{ ...place, recipient: { userFields: ['approver'] } },
      content: { icon: 'note', title: `Message ${index}`, message },
    })),
  ])
})
after(() => engine.stop())

test('an e-mail has the comment once, in the message or below it', async () => {
  const { anna, bruno } = engine.ids
  const id = await engine.create({ approver_id: anna, deputy_id: bruno })
  await act(engine, id, { action: 'submit', comment: 'Before Friday' })
  await engine.settled()
  const listed = await engine.ask('GET', `/api/deliveries?entity=request&record=${id}`)
  for (const delivery of listed.json().data) {
    const reply = await engine.ask('GET', `/api/deliveries/${delivery.id}/message`)
    assert.equal(reply.status, 200, reply.text)
    const { text } = reply.json()
    assert.equal(text.split('Before Friday').length - 1, 1, text)
    assert.equal(text.includes('Comment: Before Friday'), delivery.user.id === anna)
  }
  assert.equal(listed.json().data.length, 2)
})

test('what a message prints of the comment decides, and not that its template names it', async () => {
  const id = await engine.create({ approver_id: engine.ids.anna })
  await act(engine, id, { action: 'note', comment: 'Before Friday' })
  await engine.settled()
  const listed = await engine.ask('GET', `/api/deliveries?entity=request&record=${id}`)
  const said = new Map<string, boolean>()
  for (const delivery of listed.json().data) {
    const reply = await engine.ask('GET', `/api/deliveries/${delivery.id}/message`)
    const { subject, html } = reply.json()
    // Only what stands below the message is in italics.
    said.set(subject, /font-style:italic[^>]*>Before Friday/.test(html))
  }
  const expected = messages.map(([, isBelow], index) => [`Message ${index}`, isBelow] as const)
  assert.deepEqual(new Map([...said].sort()), new Map([...expected].sort()))
})
