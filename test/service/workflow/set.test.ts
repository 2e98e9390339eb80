/** What actions set themselves: values, times that move, and nothing where there was a value. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createUser } from '../../support/console/create-user.ts'
import { entityFile, roleFile } from '../../support/definitions/files.ts'
import { workflowOf } from '../../support/definitions/workflow-of.ts'
import { type AskOptions, startTestService } from '../../support/service.ts'

const proceed = (key: string, to: string, more: object = {}) => ({
  key,
  kind: 'proceedToStep',
  to,
  ...more,
})
const emptied = { legal: null, note: null, state: 'open', returned_on: { $today: 0 } }
const service = await startTestService({
  'docket.json': { name: 'Plans', timeZone: 'Europe/Zagreb' },
  ...entityFile(
    'plan',
    {
      validations: [
        { key: 'few', condition: { tries: { $lt: 9 } }, message: 'Too often.', field: 'tries' },
      ],
      workflow: workflowOf(
        {
          draft: [proceed('submit', 'review', { set: { sent_at: { $now: 0 }, state: 'sent' } })],
          review: [
            proceed('legal_ok', 'review', { form: 'legal', condition: { legal: null } }),
            proceed('spoil', 'review', { set: { tries: 10 } }),
            { key: 'sendBack', kind: 'returnToStep', set: emptied },
          ],
        },
        { forms: [{ key: 'legal', fields: ['note'], callerFields: ['legal'] }] },
      ),
    },
    [
      { key: 'note', type: 'text' },
      { key: 'legal', type: 'manyToOne', entity: 'user' },
      { key: 'state', type: 'enum', values: ['open', 'sent'], default: 'open', required: true },
      { key: 'tries', type: 'integer', default: 1 },
      { key: 'sent_at', type: 'timestamp' },
      { key: 'returned_on', type: 'date' },
    ],
  ),
  ...roleFile('clerk', {
    plan: {
      create: true,
      read: true,
      actions: ['submit', 'legal_ok', 'sendBack'],
      hiddenFields: ['note'],
      readOnlyFields: ['state'],
    },
  }),
})
after(() => service.stop())
const { ask, database } = service
const userId = await createUser(service, 'clerk')
const clerk = { as: 'clerk@example.com' }

const create = async (): Promise<number> =>
  (await ask('POST', '/plan', { body: { note: 'x' } })).json(201).id
const act = (id: number, action: string, values?: object, who: AskOptions = clerk) =>
  ask('POST', `/plan/${id}/proceedToStep`, { ...who, body: { action, values } })

test('an action writes them with its step, also fields that its caller may not write or see', async () => {
  const id = await create()
  const { state, sent_at, _step } = (await act(id, 'submit')).json(200)
  assert.deepEqual([state, _step], ['sent', 'review'])
  assert.ok(Math.abs(Date.now() - Date.parse(sent_at)) < 600_000)
  const [entry] = (await ask('GET', `/plan/${id}/history`)).json(200).data
  assert.deepEqual(Object.keys(entry.changes).toSorted(), ['_step', 'sent_at', 'state'])
})

test('so that a second round of approvals begins with empty fields', async () => {
  const id = await create()
  await act(id, 'submit')
  assert.equal((await act(id, 'legal_ok')).json(200).legal_id, userId)
  assert.equal((await act(id, 'legal_ok')).status, 409)
  assert.equal((await act(id, 'sendBack')).json(200).legal_id, null)
  const { note, state, returned_on } = (await ask('GET', `/plan/${id}`)).json(200)
  const today = Temporal.Now.plainDateISO('Europe/Zagreb').toString()
  assert.deepEqual([note, state, returned_on], [null, 'open', today])
  await act(id, 'submit')
  assert.equal((await act(id, 'legal_ok')).status, 200)
})

test('no request names them, and what they break refuses the action', async () => {
  const id = await create()
  const { errors } = (await act(id, 'submit', { state: 'open' })).json(400)
  assert.deepEqual(errors, [
    { path: 'values.state', message: 'is not accepted: "submit" has no form to fill in' },
  ])
  await act(id, 'submit')
  const [issue] = (await act(id, 'spoil', undefined, {})).json(422).errors
  assert.deepEqual(issue, { path: '', message: 'Too often.', validation: 'few' })
})

test('each of many records has them', async () => {
  const ids = [await create(), await create()]
  const body = { ids, do: { action: 'submit' } }
  await ask('POST', '/plan/bulk', { ...clerk, body })
  const { rows } = await database.pool.query(
    'SELECT DISTINCT state FROM records.plan WHERE id = ANY ($1)',
    [ids],
  )
  assert.deepEqual(rows, [{ state: 'sent' }])
})

test('only administrators are told what an action sets', async () => {
  const setsFor = async (who: AskOptions) => {
    const { workflow } = (await ask('GET', '/api/entities/plan', who)).json(200)
    return workflow.steps[1].actions[2].set
  }
  assert.deepEqual(await setsFor({}), emptied)
  assert.equal(await setsFor(clerk), undefined)
})
