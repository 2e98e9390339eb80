/** Number series and defaults of the caller in a definition: what they name exists, and no two numbers are the same text. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorsOfOrder, findingsOfEntities } from '../../support/definitions/a-project.ts'
import { entityFile, roleFile } from '../../support/definitions/files.ts'
import { workflowOf } from '../../support/definitions/workflow-of.ts'

const code = { key: 'code', type: 'string', required: true, unique: true, maxLength: 8 }
const others = {
  ...entityFile('branch', [code, { key: 'name', type: 'string' }]),
  ...entityFile('user', { extends: 'native' }, [
    { key: 'branch', type: 'manyToOne', entity: 'branch' },
    { key: 'department', type: 'string' },
  ]),
}
const branch = { key: 'branch', type: 'manyToOne', entity: 'branch', required: true }
const other = { key: 'other', type: 'manyToOne', entity: 'branch' }
const workflow = workflowOf({
  draft: [{ key: 'issue', kind: 'proceedToStep', to: 'issued' }],
  issued: [],
})
const number = (series: object, more: object = {}) => ({
  key: 'number',
  type: 'string',
  series,
  ...more,
})
const errors = (field: object, order: object = {}) =>
  errorsOfOrder({ fields: [branch, other, field], workflow, ...order }, others)

const apart =
  'needs a text such as "-" between the zeros and the link next to them: two of its numbers could be the same text'
const unknown = (word: string) =>
  `has "{${word}}", which is none of {YYYY}, {YY}, {MM}, {DD}, {Q}, zeros such as {00000}, or a link with a field of its record such as {branch.code}`
const formats: readonly [format: string, issue: string | undefined][] = [
  ['{0}', undefined],
  ['RO-{branch.code}-{YYYY}-{00000}', undefined],
  ['{YY}{MM}{DD}{000}', undefined],
  ['{0}/{branch.code}/1', undefined],
  ['Q{Q}/{YYYY} № {000}', undefined],
  ['{branch.code}-{branch.code}-{0}', undefined],
  ['RO-{YYYY}', 'has no place for the number: write zeros, such as {00000}'],
  ['{00}-{00}', 'has zeros twice; the number is one of them'],
  ['{000000000000000}', undefined],
  ['{0000000000000000}', 'has 16 zeros, at most 15 are allowed'],
  ['{yyyy}-{0}', unknown('yyyy')],
  ['{week}-{0}', unknown('week')],
  ['{a.b.c}-{0}', unknown('a.b.c')],
  ['RO-{0', 'has a "{" without the other brace'],
  ['{branch.code}{0}', apart],
  ['{branch.code}{YYYY}{0}', apart],
  ['{branch.code}1{0}', apart],
  [
    '{branch.code}-{0}-{branch.code}',
    'has links before and after the zeros: two of its numbers could be the same text',
  ],
  [
    ' {0}',
    'gives texts such as " 1", which a string does not keep as they are: leave out blanks at the ends, and write composed characters (NFC)',
  ],
  [
    'a\u202e{0}',
    'gives texts such as "a\u202e1", and such a text holds U+202E, which changes the text direction, at position 1',
  ],
  ['{brnch.code}-{0}', '"brnch" is not a many-to-one field of order; did you mean "branch"?'],
  ['{_created_by.email}-{0}', unknown('_created_by.email')],
  ['{other.code}-{0}', '"other" must be required: a record without one could get no number'],
  [
    '{branch.name}-{0}',
    '"name" is not a string of branch that is required and unique, so it cannot tell numbers apart; such is code',
  ],
]
for (const [format, issue] of formats)
  test(`the format ${JSON.stringify(format)} has ${issue ?? 'no issue'}`, async () => {
    const at = 'fields[2].series.format'
    assert.deepEqual(await errors(number({ format })), issue ? [`${at} ${issue}`] : [])
  })

test('the longest number fits the field', async () => {
  assert.deepEqual(await errors(number({ format: 'RO-{YYYY}-{000}' }, { maxLength: 11 })), [])
  assert.deepEqual(await errors(number({ format: '🪑-{000}' }, { maxLength: 5 })), [])
  assert.deepEqual(await errors(number({ format: 'RO-{branch.code}-{000}' }, { maxLength: 14 })), [
    'fields[2].series.format gives numbers of up to 15 characters, and the field holds 14: set its "maxLength" to 15 or more, or a smaller one of branch.code',
  ])
})

test('a series is what makes a field required and unique, and leaves nothing to enter', async () => {
  const format = '{000}'
  const entered = 'cannot be combined with "series": the service gives the whole text'
  assert.deepEqual(
    await errors(
      number(
        { format },
        { unique: 'ignoreCase', required: false, default: 'x', lowercase: false, personal: true },
      ),
    ),
    [
      `fields[2].default ${entered}`,
      `fields[2].personal ${entered}`,
      'fields[2].unique must be left out, or true: no two records have the same number',
      'fields[2].required must be left out, or true: every record gets a number when it is created',
    ],
  )
  const form = { key: 'form', fields: ['number'] }
  assert.deepEqual(await errors(number({ format }), { workflow: { ...workflow, forms: [form] } }), [
    'workflow.forms[0].fields[0] "number" is not a field of order that can be set',
  ])
})

test('an action that gives numbers exists, and a record has none before it', async () => {
  const on = (action: string) => number({ format: '{000}', on: { action } })
  const at = 'fields[2].series.on.action'
  assert.deepEqual(await errors(on('issue')), [])
  assert.deepEqual(await errors(on('isue')), [
    `${at} there is no action "isue" in the workflow of order; did you mean "issue"?`,
  ])
  assert.deepEqual(await errors(on('issue'), { workflow: undefined }), [
    `${at} order has no workflow, so it has no action "issue"`,
  ])
  assert.deepEqual(await errors({ ...on('issue'), required: true }), [
    'fields[2].required must be left out: a record has no number before the action',
  ])
})

test('a native entity has no series', async () => {
  const user = { extends: 'native', fields: [number({ format: '{000}' })] }
  assert.deepEqual(await findingsOfEntities({ user }), [
    'user: fields[0].series is not possible for the native entity user',
  ])
})

test('roles that read a number and not what it tells are named in a warning', async () => {
  const roles = {
    ...roleFile('hidden', { '*': { read: true }, branch: { read: true, hiddenFields: ['code'] } }),
    ...roleFile('linkless', {
      '*': { read: true },
      order: { read: true, hiddenFields: ['branch'] },
    }),
    ...roleFile('narrow', { order: { read: true } }),
    ...roleFile('whole', { '*': { read: true } }),
    ...roleFile('neither', { order: { read: true, hiddenFields: ['number'] } }),
  }
  const order = { fields: [branch, number({ format: '{branch.code}-{0}' })] }
  assert.deepEqual(await errorsOfOrder(order, { ...others, ...roles }), [
    'warning: fields[1].series.format tells "branch.code" to the roles "hidden" and "linkless" and "narrow", which may read "number" and not "branch.code"',
  ])
})

const caller = (field: object, name: string) => ({ key: 'x', ...field, default: { $caller: name } })
const linked = (entity: string) => ({ type: 'manyToOne', entity })
const defaults: readonly [field: object, issue: string | undefined][] = [
  [caller(linked('user'), 'id'), undefined],
  [caller(linked('branch'), 'branch'), undefined],
  [caller({ type: 'string' }, 'department'), undefined],
  [caller({ type: 'email' }, 'email'), undefined],
  [caller(linked('branch'), 'id'), '"id" of user is not a link to branch; such are branch'],
  [
    caller({ type: 'string' }, 'departmnt'),
    '"departmnt" of user is not of the type string; did you mean "department"?',
  ],
]
for (const [field, issue] of defaults)
  test(`the field ${JSON.stringify(field)} has ${issue ?? 'no issue'}`, async () => {
    const at = 'fields[2].default.$caller'
    assert.deepEqual(await errors(field), issue ? [`${at} ${issue}`] : [])
  })
