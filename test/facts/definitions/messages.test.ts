/** Messages of definitions stand next to the rule that they explain, and are translated with it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findMissingTexts } from '../../../src/definitions/translations/missing-texts.ts'
import { findingsOf, load } from '../../support/definitions/a-project.ts'
import { roleFile } from '../../support/definitions/files.ts'
import { workflowOf } from '../../support/definitions/workflow-of.ts'

const condition = { code: { $ne: null } }

/** A project whose field, action and role have rules and messages, or what is given in place of them. */
const project = ({
  field = { pattern: '[A-Z]{2}', message: 'Two capitals.' },
  action = { condition, message: 'First the code.' },
  role = { conditions: { update: condition }, messages: { update: 'Only with a code.' } },
}: Readonly<Record<string, object>> = {}) => ({
  'entities/order.json': {
    key: 'order',
    fields: [{ key: 'code', type: 'string', ...field }],
    workflow: workflowOf({
      draft: [{ key: 'submit', kind: 'proceedToStep', to: 'done', ...action }],
      done: [],
    }),
  },
  ...roleFile('clerk', { order: { read: true, update: true, ...role } }),
})

const errorsOf = async (files: object) =>
  (await findingsOf(files as never)).flatMap((line) =>
    line.includes('warning:') ? [] : [line.replace(/^\S+ /, '')],
  )

test('a message needs the rule that it explains, and is a line that can be shown', async () => {
  const message = 'x'
  const turned = 'a\u202eb'
  const place = 'workflow.steps[0].actions[0].message'
  const lines = 'contains a tab or a line break at position 1; use a single line'
  const cases = [
    [{}, []],
    [{ field: { message } }, ['fields[0].message needs a "pattern"']],
    [{ action: { message } }, [`${place} needs a "condition"`]],
    [
      { role: { conditions: { update: condition }, messages: { delete: message } } },
      ['permissions.order.messages.delete needs a "conditions.delete"'],
    ],
    [{ field: { pattern: 'a', message: 'a\nb' } }, [`fields[0].message ${lines}`]],
    [{ action: { condition, message: 'a\tb' } }, [`${place} ${lines}`]],
    [
      { role: { conditions: { update: condition }, messages: { update: turned } } },
      [
        'permissions.order.messages.update holds U+202E, which changes the text direction, at position 1',
      ],
    ],
    [{ field: { pattern: 'a', message: '' }, role: {} }, ['fields[0].message must not be empty']],
  ] as const
  for (const [parts, expected] of cases)
    assert.deepEqual(await errorsOf(project(parts)), expected, JSON.stringify(parts))
})

const french = {
  entities: {
    order: {
      fields: { code: { message: 'Deux majuscules.' } },
      actionMessages: { draft: { submit: "D'abord le code." } },
    },
  },
  roles: { clerk: { messages: { order: { update: 'Seulement avec un code.' } } } },
}

test('a translation has the messages of the definitions, and no others', async () => {
  const errors = (file: object) => errorsOf({ ...project(), 'translations/fr.json': file })
  assert.deepEqual(await errors(french), [])
  const others = {
    entities: { order: { actionMessages: { drft: { submit: 'x' }, draft: { sbmit: 'x' } } } },
    roles: { clerk: { messages: { ordr: {}, order: { delete: 'x' } } } },
  }
  assert.deepEqual(await errors(others), [
    'entities.order.actionMessages.drft there is no step with messages "drft"; did you mean "draft"?',
    'entities.order.actionMessages.draft.sbmit has nothing to translate: the definition has no such text',
    'roles.clerk.messages.ordr there is no entity with messages "ordr"; did you mean "order"?',
    'roles.clerk.messages.order.delete has nothing to translate: the definition has no such text',
  ])
})

test('messages that a translation lacks are counted with its other texts', async () => {
  const missingIn = async (file: object) => {
    const loaded = await load({ ...project(), 'translations/fr.json': file })
    assert.ok(loaded.project)
    return findMissingTexts(loaded.project).coverage[0]?.missing ?? 0
  }
  assert.equal((await missingIn({})) - (await missingIn(french)), 3)
})
