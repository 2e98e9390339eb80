/** Which actions the names in a rule match: of a kind, a key, a form or two steps. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchRules, type TakenAction } from '../../../src/definitions/notification-rules.ts'

const taken = (values: Partial<TakenAction> = {}): TakenAction => ({
  key: 'approve',
  kind: 'approveWorkflow',
  form: undefined,
  from: 'review',
  to: 'approved',
  ...values,
})
const table: readonly [action: string, taken: TakenAction, matches: boolean][] = [
  ['approveWorkflow', taken(), true],
  ['proceedToStep', taken(), false],
  ['approve', taken(), true],
  ['approve', taken({ key: 'ok', form: 'approve' }), true],
  ['approve', taken({ key: 'ok' }), false],
  ['review-approved', taken(), true],
  ['approved-review', taken(), false],
  ['review', taken(), false],
  ['undefined', taken(), false],
]
test('an action matches by its kind, its key, its form or both of its steps', () => {
  for (const [action, takenAction, matches] of table) {
    const rule = { operation: 'proceedToStep', action, recipient: {} } as const
    const definition = { key: 'x', fields: [], notifications: [rule] }
    const count = (operation: 'proceedToStep' | 'create', of: TakenAction | undefined) =>
      matchRules(definition, operation, of).length
    const message = `${action} ${JSON.stringify(takenAction)}`
    assert.deepEqual(
      [count('proceedToStep', takenAction), count('create', undefined)],
      [matches ? 1 : 0, 0],
      message,
    )
  }
})

test('a rule of changes applies to each operation that changes one of its fields, and one without fields not to step and owner', () => {
  const rows: readonly [
    operation: string,
    changed: readonly string[] | undefined,
    matches: string,
  ][] = [
    ['change', ['price'], 'price any'],
    ['change', ['notes'], 'any'],
    ['proceedToStep', ['_step', 'price'], 'price step any'],
    ['proceedToStep', ['_step'], 'step'],
    ['takeOwnership', ['_owned_by'], ''],
    ['change', [], ''],
    ['change', undefined, 'price step any'],
    ['create', ['price'], ''],
    ['remove', ['price'], ''],
  ]
  const rules = [['price'], ['_step'], undefined].map((fields) => ({
    operation: 'change' as const,
    ...(fields && { fields }),
    recipient: {},
  }))
  const names = ['price', 'step', 'any']
  const definition = { key: 'x', fields: [], notifications: rules }
  for (const [operation, changed, matches] of rows) {
    const matched = matchRules(definition, operation, undefined, { changed })
    const found = matched.map(({ index }) => names[index]).join(' ')
    assert.equal(found, matches, `${operation} ${changed}`)
  }
})
