/** The comment of an action in e-mails by the built-in template: once, wherever the rule says it. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { act, type Engine, shareEngine } from './an-engine.ts'
import { comments } from './an-engine-rules.ts'

let engine: Engine
before(async () => {
  engine = await shareEngine('comment')
})

test('an e-mail has the comment once, in the message or below it', async () => {
  const { anna, bruno } = engine.ids
  const id = await engine.create({ approver_id: anna, deputy_id: bruno })
  await act(engine, id, { action: 'submit', comment: 'Before Friday' })
  await engine.settled()
  const listed = await engine.ask('GET', `/api/deliveries?entity=comment&record=${id}`)
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
  const listed = await engine.ask('GET', `/api/deliveries?entity=comment&record=${id}`)
  const said = new Map<string, boolean>()
  for (const delivery of listed.json().data) {
    const reply = await engine.ask('GET', `/api/deliveries/${delivery.id}/message`)
    const { subject, html } = reply.json()
    // Only what stands below the message is in italics.
    said.set(subject, /font-style:italic[^>]*>Before Friday/.test(html))
  }
  const expected = comments.map(([, isBelow], index) => [`Message ${index}`, isBelow] as const)
  assert.deepEqual(new Map([...said].sort()), new Map([...expected].sort()))
})
