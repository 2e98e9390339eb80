/** The comment of an action in e-mails by the built-in template: once, wherever the rule says it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { act, type Engine, startEngine } from '../notifications/an-engine.ts'

const onSubmit = { operation: 'proceedToStep', action: 'submit' } as const
const contentOf = (message: string) => ({ icon: 'inbox', title: 'To decide', message })

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
