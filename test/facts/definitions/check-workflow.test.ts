/** Workflows with inconsistent steps, actions and forms: each is that of an entity, whose key says what is wrong. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsOfEntities } from '../../support/definitions/a-project.ts'
import { roleFile } from '../../support/definitions/files.ts'

const fieldsOf = (key: string) => [
  ...(key === 'wrong_locks'
    ? [{ key: 'members', type: 'oneToMany', entity: 'user', mappedBy: 'team' }]
    : []),
  { key: 'notes', type: 'text' },
  { key: 'approver', type: 'manyToOne', entity: 'user' },
  { key: 'signer', type: 'manyToOne', entity: 'user', required: true },
  { key: 'estimate', type: 'decimal', default: '0.00' },
  { key: 'whole', type: 'manyToOne', entity: key },
  { key: 'parts', type: 'oneToMany', entity: key, mappedBy: 'whole' },
  { key: 'due_on', type: 'date' },
  { key: 'scan', type: 'file' },
  { key: 'double', type: 'decimal', formula: 'estimate * 2' },
  { key: 'sum', type: 'decimal', rollup: { sum: 'parts.estimate' } },
]

const done = { key: 'done', final: true }
const submit = { key: 'submit', kind: 'proceedToStep', to: 'done' }
const draft = { key: 'draft', actions: [submit] }
const no = { key: 'no', kind: 'rejectWorkflow', to: 'done' }
const yes = { key: 'yes', kind: 'approveWorkflow', to: 'done' }
const back = { key: 'back', kind: 'returnToStep' }

const withSteps = (...steps: object[]) => ({ initialStep: 'draft', steps })
const withActions = (...actions: object[]) => withSteps({ ...draft, actions }, done)
const withForm = (form: object) => ({
  ...withActions({ ...submit, form: 'paper' }),
  forms: [{ key: 'paper', fields: [], ...form }],
})
const withForms = (...forms: object[]) => ({
  ...withActions({ ...submit, form: 'a' }, { ...submit, key: 'name', form: 'b' }),
  forms,
})

const workflows: Readonly<Record<string, object>> = {
  valid: withSteps(draft, done),
  required_field: withForm({ fields: ['notes'], required: ['notes'] }),
  caller_field: withForm({ fields: ['notes'], callerFields: ['approver'] }),
  return_from_the_end: withSteps(draft, { key: 'done', actions: [back] }),
  approved_or_rejected: withActions(yes, no),

  set: withActions({
    ...submit,
    set: {
      notes: 'Late',
      approver: null,
      estimate: '1.50',
      due_on: { $today: 2 },
      whole: null,
      scan: null,
    },
  }),
  wrong_set: {
    ...withActions(
      {
        ...submit,
        form: 'paper',
        set: {
          nots: 1,
          notes: 2,
          approver: 3,
          signer: null,
          scan: 7,
          estimate: { $today: 0 },
          due_on: { $tody: 0 },
          double: '1',
          parts: null,
          whole: null,
        },
      },
      { ...submit, key: 'none', set: {} },
    ),
    forms: [{ key: 'paper', fields: ['whole'] }],
  },
  not_by: withActions({
    ...submit,
    notBy: ['approver', '_created_by', 'submit'],
    message: 'No.',
  }),
  wrong_not_by: withActions(
    { ...submit, notBy: ['notes', '_owned_by', 'aprover', 'approver'] },
    { ...submit, key: 'approver' },
  ),
  locks: withSteps(
    {
      ...draft,
      locks: { fields: ['estimate', 'parts', 'whole', 'double', 'sum'], except: ['administrator'] },
    },
    { ...done, locks: { fields: 'all', except: ['clerk'] } },
  ),
  wrong_locks: withSteps(
    { ...draft, locks: { fields: ['nots', '_step', '_owned_by', 'members'], except: ['clark'] } },
    { ...done, locks: { fields: ['double', 'sum', 'double'] } },
  ),
  empty_locks: withSteps({ ...draft, locks: { fields: [] } }, done),
  misshaped_locks: withSteps(
    { ...draft, locks: { fields: 'some' } },
    { ...done, locks: { fields: 'all', excepts: ['clerk'] } },
  ),

  unknown_initial_step: { ...withSteps(draft, done), initialStep: 'drat' },
  step_twice: withSteps(draft, done, done),
  action_twice: withActions(submit, submit),
  unknown_target: withActions({ ...submit, to: 'doen' }),
  unknown_form: { ...withForm({}), ...withActions({ ...submit, form: 'papr' }) },
  action_at_the_end: withSteps({ ...draft, final: true }, done),
  no_action: withSteps({ key: 'draft' }, done),
  unknown_kind: withActions({ ...submit, kind: 'approve' }),
  no_target: withActions({ key: 'submit', kind: 'proceedToStep' }),
  return_to_a_target: withActions(submit, { ...submit, ...back }),
  return_to_nothing: withActions(submit, back),
  only_rejected: withActions(submit, no),
  unknown_field: withForm({ fields: ['ntoes'] }),
  fixed_fields: withForm({ fields: ['parts', '_step'] }),
  required_elsewhere: withForm({ fields: ['notes'], required: ['note'] }),
  required_with_default: withForm({ fields: ['estimate'], required: ['estimate'] }),
  fields_twice: withForm({ fields: ['notes', 'notes'], required: ['notes', 'notes'] }),
  caller_fields: withForm({ fields: ['approver'], callerFields: ['aprover', 'notes', 'approver'] }),
  required_caller: withForm({ callerFields: ['signer'] }),
  caller_twice: withForm({ callerFields: ['approver', 'approver'] }),
  caller_or_anybody: withForms(
    { key: 'a', fields: [], callerFields: ['approver'] },
    { key: 'b', fields: ['approver'] },
  ),
  form_twice: {
    ...withActions({ ...submit, form: 'a' }),
    forms: [
      { key: 'a', fields: [] },
      { key: 'a', fields: [] },
    ],
  },
  unused_form: { ...withSteps(draft, done), forms: [{ key: 'paper', fields: [] }] },
  lost_end: withSteps(draft, done, { key: 'lost', final: true }),
  island: withSteps(
    ...[draft, done],
    { key: 'island', actions: [{ ...submit, to: 'shore' }] },
    { key: 'shore', actions: [{ ...submit, to: 'shore' }] },
  ),
}

const others = {
  ...roleFile('clerk', {}),
  'entities/user.json': {
    key: 'user',
    extends: 'native',
    fields: [{ key: 'team', type: 'manyToOne', entity: 'wrong_locks' }],
    workflow: withSteps(draft, { ...done, locks: { fields: 'all' } }),
  },
}

test('each inconsistency of a workflow is found, and none in a consistent one', async () => {
  const entities = Object.entries(workflows).map(([key, workflow]) => [
    key,
    { fields: fieldsOf(key), workflow },
  ])
  const found = await findingsOfEntities(Object.fromEntries(entities), others)
  assert.deepEqual(
    found.map((line) => line.replace(': workflow.', ': ').replace('warning: workflow.', '')),
    [
      'action_at_the_end: steps[0].actions cannot start in the final step "draft"',
      'action_twice: steps[0].actions[1].key "submit" is defined twice',
      'caller_fields: forms[0].callerFields[0] "aprover" is not a many-to-one field of caller_fields to user; did you mean "approver"?',
      'caller_fields: forms[0].callerFields[1] "notes" is not a many-to-one field of caller_fields to user',
      `caller_fields: forms[0].callerFields[2] "approver" is also among the form's fields; the service fills it in, so name it only here`,
      'caller_or_anybody: warning: forms[1].fields[0] "approver" is filled with the user who takes "submit", and here any user may be named; leave it out unless that is meant',
      'caller_twice: forms[0].callerFields[1] "approver" is named twice',
      'empty_locks: steps[0].locks.fields names no field: leave "locks" out',
      'fields_twice: forms[0].fields[1] "notes" is named twice',
      'fields_twice: forms[0].required[1] "notes" is named twice',
      'fixed_fields: forms[0].fields[0] "parts" is not a field of fixed_fields that can be set',
      'fixed_fields: forms[0].fields[1] "_step" is not a field of fixed_fields that can be set',
      'form_twice: forms[1].key "a" is defined twice',
      'island: warning: steps[2] no action leads to the step "island"',
      'island: warning: steps[3] no action leads from "draft" to "shore"',
      'lost_end: warning: steps[2] no action leads to the final step "lost"',
      'misshaped_locks: steps[0].locks.fields must be "all" or an array',
      'misshaped_locks: steps[1].locks.excepts is not a known property; did you mean "except"?',
      'no_action: steps[0] no action leads from "draft"; give it actions or "final": true',
      'no_target: steps[0].actions[0] lacks the property "to"',
      'only_rejected: warning: steps[0].actions[1].kind nothing can be approved in the step "draft", but every record in it waits in the approvals of those who may take "no"; with the kind "proceedToStep" it would not',
      'required_caller: forms[0].callerFields[0] "signer" is required, but only an action fills it in, so no record could be created; make it optional',
      `required_elsewhere: forms[0].required[0] "note" is not among the form's fields; did you mean "notes"?`,
      'required_with_default: warning: forms[0].required[0] "estimate" has a default, so records have a value already and the form does not ask for one',
      'return_to_a_target: steps[0].actions[1].to must be omitted: the kind "returnToStep" finds the step itself',
      'return_to_nothing: warning: steps[0].actions[1] no other step leads to "draft", so there is no step to return to',
      'step_twice: steps[2].key "done" is defined twice',
      'unknown_field: forms[0].fields[0] "ntoes" is not a field of unknown_field that can be set; did you mean "notes"?',
      'unknown_form: steps[0].actions[0].form there is no form "papr"; did you mean "paper"?',
      'unknown_initial_step: initialStep there is no step "drat"; did you mean "draft"?',
      'unknown_kind: steps[0].actions[0].kind must be one of "proceedToStep", "approveWorkflow", "rejectWorkflow", "returnToStep"',
      'unknown_target: steps[0].actions[0].to there is no step "doen"; did you mean "done"?',
      'unused_form: warning: forms[0] no action has the form "paper"',
      'user: steps[1].locks are not possible for the native entity user',
      'wrong_locks: warning: steps[1].locks.fields[0] "double" is calculated, so nobody writes it, and it follows from what is not locked: lock "estimate"',
      'wrong_locks: warning: steps[1].locks.fields[1] "sum" is calculated, so nobody writes it, and it follows from what is not locked: lock "parts"',
      'wrong_locks: steps[0].locks.except[0] there is no role "clark"; did you mean "clerk"?',
      'wrong_locks: steps[0].locks.fields[0] "nots" is not a field of wrong_locks; did you mean "notes"?',
      'wrong_locks: steps[0].locks.fields[1] "_step" is not a field of wrong_locks',
      'wrong_locks: steps[0].locks.fields[2] "_owned_by" is not a field of wrong_locks',
      'wrong_locks: steps[0].locks.fields[3] "members" has records of user, which is native: their writes cannot be locked',
      'wrong_locks: steps[1].locks.fields[2] "double" is named twice',
      'wrong_not_by: steps[0].actions[0].notBy[0] "notes" is neither a link of wrong_not_by to user nor an action',
      'wrong_not_by: steps[0].actions[0].notBy[1] "_owned_by" is neither a link of wrong_not_by to user nor an action',
      'wrong_not_by: steps[0].actions[0].notBy[2] "aprover" is neither a link of wrong_not_by to user nor an action; did you mean "approver"?',
      'wrong_not_by: steps[0].actions[0].notBy[3] "approver" is a field and an action; give the action another key',
      'wrong_set: steps[0].actions[0].set.approver is a link, which an action empties with null; a form with "callerFields" fills in who takes it',
      'wrong_set: steps[0].actions[0].set.double "double" is not a field of wrong_set that can be set',
      'wrong_set: steps[0].actions[0].set.due_on must be a value, or an object with "$today", "$now" or "$startOf"; did you mean "$today"?',
      'wrong_set: steps[0].actions[0].set.estimate must be a decimal number as a string, such as "12.50", not an object',
      'wrong_set: steps[0].actions[0].set.notes must be a string, not a number',
      'wrong_set: steps[0].actions[0].set.nots "nots" is not a field of wrong_set that can be set; did you mean "notes"?',
      'wrong_set: steps[0].actions[0].set.parts "parts" is not a field of wrong_set that can be set',
      'wrong_set: steps[0].actions[0].set.scan holds files, which an action empties with null; a form with the field asks for them',
      'wrong_set: steps[0].actions[0].set.signer is required, so it cannot be set to null',
      'wrong_set: steps[0].actions[0].set.whole is also in the form "paper"; name it only in one of the two',
      'wrong_set: steps[0].actions[1].set names no field: leave it out',
    ],
  )
})
