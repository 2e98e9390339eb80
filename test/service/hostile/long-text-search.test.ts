/** Searches in long texts are fast. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'

const entities = {
  'entities/client.json': {
    key: 'client',
    ownership: true,
    fields: [
      { key: 'name', type: 'string' },
      { key: 'code', type: 'enum', values: ['alpha', 'beta', 'gamma'] },
      { key: 'notes', type: 'text' },
      { key: 'parent', type: 'manyToOne', entity: 'client' },
    ],
    workflow: {
      initialStep: 'new',
      steps: [
        { key: 'new', actions: [{ key: 'end', kind: 'proceedToStep', to: 'ended', form: 'end' }] },
        { key: 'ended', final: true },
      ],
      forms: [{ key: 'end', fields: ['notes'] }],
    },
  },
}

let service: TestService

before(async () => {
  service = await startTestService(await writeProject(entities))
  const body = { name: 'one', notes: 'a'.repeat(100_000) }
  assert.equal((await service.ask('POST', '/client', { body })).status, 201)
})
after(() => service.stop())

test('a search for the longest text in a long text ends within the statement timeout', async () => {
  const condition = { $contains: `b${'a'.repeat(999)}` }
  const reply = await service.ask('POST', '/client/search', {
    body: { $where: { notes: condition } },
  })
  assert.deepEqual(reply.json().data, [])
  assert.equal(reply.status, 200, reply.text)
})
