/** Workflows with inconsistent steps, actions and forms. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorsOfOrder } from '../../support/definitions/a-project.ts'

const fields = [
  { key: 'notes', type: 'text' },
  { key: 'approver', type: 'manyToOne', entity: 'user' },
  { key: 'signer', type: 'manyToOne', entity: 'user', required: true },
  { key: 'estimate', type: 'decimal', default: '0.00' },
  { key: 'parts', type: 'oneToMany', entity: 'part', mappedBy: 'order' },
]
const part = { key: 'part', fields: [{ key: 'order', type: 'manyToOne', entity: 'order' }] }

const done = { key: 'done', final: true }
const submit = { key: 'submit', kind: 'proceedToStep', to: 'done' }
const draft = { key: 'draft', actions: [submit] }
const no = { key: 'no', kind: 'rejectWorkflow' }
const yes = { key: 'yes', kind: 'approveWorkflow', to: 'done' }
const back = { key: 'back', kind: 'returnToStep' }
const valid = { initialStep: 'draft', steps: [draft, done] }
const withForm = (form: object) => ({
  initialStep: 'draft',
  steps: [{ ...draft, actions: [{ ...submit, form: 'paper' }] }, done],
  forms: [{ key: 'paper', fields: [], ...form }],
})

const workflows: readonly [workflow: object, errors: string[]][] = [
  [valid, []],
  [withForm({ fields: ['notes'], required: ['notes'] }), []],
  [
    withForm({ fields: ['estimate'], required: ['estimate'] }),
    [
      'warning: workflow.forms[0].required[0] "estimate" has a default, so records have a value already and the form does not ask for one',
    ],
  ],
  [
    { ...valid, initialStep: 'drat' },
    ['workflow.initialStep there is no step "drat"; did you mean "draft"?'],
  ],
  [{ ...valid, steps: [draft, done, done] }, ['workflow.steps[2].key "done" is defined twice']],
  [
    { ...valid, steps: [{ ...draft, actions: [submit, submit] }, done] },
    ['workflow.steps[0].actions[1].key "submit" is defined twice'],
  ],
  [
    { ...valid, steps: [{ ...draft, actions: [{ ...submit, to: 'doen' }] }, done] },
    ['workflow.steps[0].actions[0].to there is no step "doen"; did you mean "done"?'],
  ],
  [
    {
      ...valid,
      steps: [{ ...draft, actions: [{ ...submit, form: 'papr' }] }, done],
      forms: [{ key: 'paper', fields: [] }],
    },
    ['workflow.steps[0].actions[0].form there is no form "papr"; did you mean "paper"?'],
  ],
  [
    { ...valid, steps: [{ ...draft, final: true }, done] },
    ['workflow.steps[0].actions cannot start in the final step "draft"'],
  ],
  [
    { ...valid, steps: [{ key: 'draft' }, done] },
    ['workflow.steps[0] no action leads from "draft"; give it actions or "final": true'],
  ],
  [
    { ...valid, steps: [{ ...draft, actions: [{ ...submit, kind: 'approve' }] }, done] },
    [
      'workflow.steps[0].actions[0].kind must be one of "proceedToStep", "approveWorkflow", "rejectWorkflow", "returnToStep"',
    ],
  ],
  [
    { ...valid, steps: [{ ...draft, actions: [{ key: 'submit', kind: 'proceedToStep' }] }, done] },
    ['workflow.steps[0].actions[0] lacks the property "to"'],
  ],
  [
    { ...valid, steps: [draft, { key: 'done', actions: [{ key: 'back', kind: 'returnToStep' }] }] },
    [],
  ],
  [
    { ...valid, steps: [{ ...draft, actions: [submit, { ...submit, ...back }] }, done] },
    [
      'workflow.steps[0].actions[1].to must be omitted: the kind "returnToStep" finds the step itself',
    ],
  ],
  [
    { ...valid, steps: [{ ...draft, actions: [submit, back] }, done] },
    [
      'warning: workflow.steps[0].actions[1] no other step leads to "draft", so there is no step to return to',
    ],
  ],
  [
    withForm({ fields: ['ntoes'] }),
    [
      'workflow.forms[0].fields[0] "ntoes" is not a field of order that can be set; did you mean "notes"?',
    ],
  ],
  [
    withForm({ fields: ['parts', '_step'] }),
    [
      'workflow.forms[0].fields[0] "parts" is not a field of order that can be set',
      'workflow.forms[0].fields[1] "_step" is not a field of order that can be set',
    ],
  ],
  [
    withForm({ fields: ['notes'], required: ['note'] }),
    [`workflow.forms[0].required[0] "note" is not among the form's fields; did you mean "notes"?`],
  ],
  [withForm({ fields: ['notes'], callerFields: ['approver'] }), []],
  [
    withForm({ fields: ['approver'], callerFields: ['aprover', 'notes', 'approver'] }),
    [
      'workflow.forms[0].callerFields[0] "aprover" is not a many-to-one field of order to user; did you mean "approver"?',
      'workflow.forms[0].callerFields[1] "notes" is not a many-to-one field of order to user',
      `workflow.forms[0].callerFields[2] "approver" is also among the form's fields; the service fills it in, so name it only here`,
    ],
  ],
  [
    withForm({ callerFields: ['signer'] }),
    [
      'workflow.forms[0].callerFields[0] "signer" is required, but only an action fills it in, so no record could be created; make it optional',
    ],
  ],
  [
    {
      initialStep: 'draft',
      steps: [
        {
          ...draft,
          actions: [
            { ...submit, form: 'sign' },
            { ...submit, key: 'name', form: 'name' },
          ],
        },
        done,
      ],
      forms: [
        { key: 'sign', fields: [], callerFields: ['approver'] },
        { key: 'name', fields: ['approver'] },
      ],
    },
    [
      'warning: workflow.forms[1].fields[0] "approver" is filled with whoever takes "submit", and here anybody may be named; leave it out unless that is meant',
    ],
  ],
  [
    { ...valid, steps: [{ ...draft, actions: [submit, { ...submit, ...no }] }, done] },
    [
      'warning: workflow.steps[0].actions[1].kind nothing can be approved in the step "draft", but every record in it waits in the approvals of those who may take "no"; with the kind "proceedToStep" it would not',
    ],
  ],
  [{ ...valid, steps: [{ ...draft, actions: [yes, { ...submit, ...no }] }, done] }, []],
  [
    withForm({ callerFields: ['approver', 'approver'] }),
    ['workflow.forms[0].callerFields[1] "approver" is named twice'],
  ],
  [
    {
      ...valid,
      forms: [
        { key: 'a', fields: [] },
        { key: 'a', fields: [] },
      ],
    },
    ['workflow.forms[1].key "a" is defined twice'],
  ],
  [
    withForm({ fields: ['notes', 'notes'], required: ['notes', 'notes'] }),
    [
      'workflow.forms[0].fields[1] "notes" is named twice',
      'workflow.forms[0].required[1] "notes" is named twice',
    ],
  ],
  [
    { ...valid, forms: [{ key: 'paper', fields: [] }] },
    ['warning: workflow.forms[0] no action has the form "paper"'],
  ],
  [
    { ...valid, steps: [draft, done, { key: 'lost', final: true }] },
    ['warning: workflow.steps[2] no action leads to the final step "lost"'],
  ],
  [
    {
      ...valid,
      steps: [
        draft,
        done,
        { key: 'island', actions: [{ ...submit, to: 'shore' }] },
        { key: 'shore', actions: [{ ...submit, to: 'shore' }] },
      ],
    },
    [
      'warning: workflow.steps[2] no action leads to the step "island"',
      'warning: workflow.steps[3] no action leads from "draft" to "shore"',
    ],
  ],
]
for (const [workflow, errors] of workflows)
  test(`the workflow ${JSON.stringify(workflow)} ${errors[0] ?? 'is valid'}`, async () => {
    const others = { 'entities/part.json': part }
    assert.deepEqual(await errorsOfOrder({ fields, workflow }, others), errors)
  })
