/** The OpenAPI document describes the requests and responses of workflows. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { compileWithin } from '../../support/api-document.ts'
import {
  ask,
  createRequest,
  createReviewed,
  historyOf,
  proceed,
  shareWorkflows,
} from './a-workflow-project.ts'

type Body = {
  schema: { properties: { action: { enum: string[] }; values?: { properties: object } } }
  examples: Record<string, { value: { action: string; values?: object } }>
}
type Operation = { description: string; requestBody: { content: Record<string, Body> } }

let document: { components: object; paths: Record<string, Record<string, Operation>> }
shareWorkflows()
before(async () => {
  document = (await ask('GET', '/api/openapi.json')).json()
})

const proceedOf = (entityKey: string) =>
  document.paths[`/${entityKey}/{entityId}/proceedToStep`]?.post as Operation
const bodyOf = (entityKey: string) =>
  proceedOf(entityKey).requestBody.content['application/json'] as Body
/** A validator of a part of the document. */
const validatorOf = (schema: object) => {
  const validator = compileWithin(document, schema)
  return (value: unknown) => validator.Check(value)
}
const componentOf = (name: string) => validatorOf({ $ref: `#/components/schemas/${name}` })

test('only records of entities with a workflow proceed', () => {
  const paths = Object.keys(document.paths).filter((path) => path.endsWith('/proceedToStep'))
  assert.deepEqual(
    paths.map((path) => path.split('/')[1]),
    ['claim', 'contract', 'notice', 'offer', 'purchase', 'request', 'slot'],
  )
})

test('the body describes the actions of the workflow and the fields of all forms', () => {
  const { properties } = bodyOf('request').schema
  assert.deepEqual(properties.action.enum, [
    ...['submit', 'remark', 'cancel', 'approve', 'reject', 'price'],
    ...['proceedToStep', 'approveWorkflow', 'rejectWorkflow'],
  ])
  assert.deepEqual(Object.keys(properties.values?.properties ?? {}), [
    ...['approver_id', 'vendor_id', 'notes', 'margin', 'code', 'amount', 'reason'],
  ])
  assert.equal(bodyOf('slot').schema.properties.values, undefined)
  const { description } = proceedOf('request')
  assert.match(description, /^- \*\*Draft\*\* \(a new record\): `submit` → review/)
  assert.match(description, /^- \*\*rejected\*\* \(final\)$/m)
})

test('there is an example per action, and one per step for an action of two steps; each is accepted', async () => {
  const { examples, schema } = bodyOf('request')
  const [isBody, isRequest] = [validatorOf(schema), componentOf('request')]
  const isEntry = componentOf('HistoryEntry')
  assert.deepEqual(Object.keys(examples), [
    ...['submit', 'remark', 'draft-cancel', 'approve', 'reject', 'price', 'review-cancel'],
  ])
  for (const [name, { value }] of Object.entries(examples)) {
    assert.ok(isBody(value), name)
    const isDraft = ['submit', 'remark', 'draft-cancel'].includes(name)
    const id = await (isDraft ? createRequest() : createReviewed())
    // The examples use user 3 and vendor 3, which only other tests may have created.
    const { vendor_id: _vendor, ...values } = (value.values ?? {}) as Record<string, unknown>
    const reply = await proceed(id, value.values ? { ...value, values } : value)
    assert.equal(reply.status, 200, `${name}: ${reply.text}`)
    assert.ok(isRequest(reply.json()), name)
    assert.ok(isEntry((await historyOf(`/request/${id}`))[0]), name)
  }
  for (const body of [
    {},
    { action: 'aprove' },
    { action: 'submit', comment: '' },
    { action: 'reject', values: { title: 'x' } },
    { action: 'submit', step: 'review' },
  ])
    assert.equal(isBody(body), false, JSON.stringify(body))
})
