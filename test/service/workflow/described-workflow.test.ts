/** The OpenAPI document describes the requests and responses of workflows. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Compile } from 'typebox/schema'
import {
  ask,
  createRequest,
  createReviewed,
  proceed,
  shareWorkflows,
  users,
} from './a-workflow-project.ts'

type Body = {
  schema: { properties: { action: { enum: string[] }; values?: { properties: object } } }
  examples: Record<string, { value: { action: string; values?: object } }>
}
type Operation = {
  operationId: string
  description: string
  requestBody: { content: Record<string, Body> }
  responses: Record<string, unknown>
}

let document: { paths: Record<string, Record<string, Operation>> }
shareWorkflows()
before(async () => {
  document = (await ask('GET', '/api/openapi.json')).json()
})

const proceedOf = (entityKey: string) =>
  document.paths[`/${entityKey}/{entityId}/proceedToStep`]?.post as Operation
const bodyOf = (entityKey: string) =>
  proceedOf(entityKey).requestBody.content['application/json'] as Body
const matchesSchema = (schema: object, value: unknown) =>
  Compile({ ...document, ...schema }).Check(value)

test('the document is valid and lets only records of entities with a workflow proceed', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document))
  assert.deepEqual({ valid, errors }, { valid: true, errors: undefined })
  const paths = Object.entries(document.paths).filter(([path]) => /\/proceedToStep$/.test(path))
  assert.deepEqual(
    paths.map(([path, item]) => `${path} ${Object.values(item)[0]?.operationId}`),
    [
      ...['claim', 'contract', 'offer', 'purchase', 'request', 'slot'].map(
        (key) => `/${key}/{entityId}/proceedToStep proceedToStep_${key}`,
      ),
    ],
  )
})

test('the body describes the actions of the workflow and the fields of all forms', () => {
  const { properties } = bodyOf('request').schema
  assert.deepEqual(properties.action.enum, [
    ...[
      'submit',
      'remark',
      'cancel',
      'approve',
      'reject',
      'price',
      'proceedToStep',
      'approveWorkflow',
      'rejectWorkflow',
    ],
  ])
  assert.deepEqual(Object.keys(properties.values?.properties ?? {}), [
    ...['approver_id', 'vendor_id', 'notes', 'margin', 'code', 'amount', 'reason'],
  ])
  assert.equal(bodyOf('slot').schema.properties.values, undefined)
  assert.match(
    proceedOf('request').description,
    /^- \*\*Draft\*\* \(a new record\): `submit` → review/,
  )
  assert.match(proceedOf('request').description, /^- \*\*rejected\*\* \(final\)$/m)
})

test('the error responses are described', () => {
  const statuses = Object.keys(proceedOf('request').responses)
  for (const status of ['200', '400', '403', '404', '409', '412', '422'])
    assert.ok(statuses.includes(status), status)
})

describe('the examples', () => {
  test('there is one example per action, and one per step for an action of two steps', () => {
    assert.deepEqual(Object.keys(bodyOf('request').examples), [
      ...['submit', 'remark', 'draft-cancel', 'approve', 'reject', 'price', 'review-cancel'],
    ])
  })

  test('the service accepts each example and answers as described', async () => {
    const { examples, schema } = bodyOf('request')
    for (const [name, { value }] of Object.entries(examples)) {
      assert.ok(matchesSchema(schema, value), name)
      const isDraft = ['submit', 'remark', 'draft-cancel'].includes(name)
      const id = await (isDraft ? createRequest() : createReviewed())
      // The examples use user 3 and vendor 3, which only other tests may have created.
      const { vendor_id: _vendor, ...values } = (value.values ?? {}) as Record<string, unknown>
      const body = value.values ? { ...value, values } : value
      const reply = await proceed(id, body)
      assert.equal(reply.status, 200, `${name}: ${reply.text}`)
      assert.ok(matchesSchema({ $ref: '#/components/schemas/request' }, reply.json()), name)
      const { data } = (await ask('GET', `/request/${id}/history`)).json()
      assert.ok(matchesSchema({ $ref: '#/components/schemas/HistoryEntry' }, data[0]), name)
    }
  })

  test('bodies that the service rejects do not match the schema', () => {
    const { schema } = bodyOf('request')
    for (const body of [
      {},
      { action: 'aprove' },
      { action: 'submit', comment: '' },
      { action: 'submit', comment: null },
      { action: 'reject', values: { title: 'x' } },
      { action: 'reject', values: { reason: 5 } },
      { action: 'submit', step: 'review' },
    ])
      assert.equal(matchesSchema(schema, body), false, JSON.stringify(body))
  })
})

test('open actions match the described response', async () => {
  const draft = await createRequest()
  const review = await createReviewed()
  for (const as of [undefined, users.approver, users.hides_step])
    for (const id of [draft, review]) {
      const reply = await ask('GET', `/request/${id}/actions`, as ? { as } : {})
      assert.ok(
        matchesSchema({ $ref: '#/components/schemas/OpenActions' }, reply.json()),
        reply.text,
      )
    }
})
