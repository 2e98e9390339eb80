/** Checks that the steps, actions and forms of a workflow match. */
import { didYouMean } from '../../did-you-mean.ts'
import { type ActionKind, actionKinds, targetsOf } from '../action-kinds.ts'
import { callerFieldsOf, isCalculated } from '../catalog.ts'
import { type FieldDefinition, fieldTypeOf } from '../field-types.ts'
import { isFileField } from '../files.ts'
import type { EntityDefinition, WorkflowDefinition } from '../schemas/entity-definition.ts'
import type { AddFinding, JsonPath } from '../source-file.ts'
import { givenValueIssue, isRequired } from '../values/field-defaults.ts'
import { messageIssue } from './check-labels.ts'

/** Warns of unused parts only when there are no errors, because a wrong name makes parts unused too. */
export const checkWorkflow = (definition: EntityDefinition, report: AddFinding): void => {
  const { workflow } = definition
  if (!workflow) return
  let isInvalid = false
  const add: AddFinding = (path, message) => {
    isInvalid = true
    report(path, message)
  }
  const steps = workflow.steps.map((step) => step.key)
  const forms = (workflow.forms ?? []).map((form) => form.key)
  if (!steps.includes(workflow.initialStep))
    add(
      ['workflow', 'initialStep'],
      `there is no step "${workflow.initialStep}"${didYouMean(workflow.initialStep, steps)}`,
    )
  reportTwice(steps, (index) => ['workflow', 'steps', index, 'key'], add)
  reportTwice(forms, (index) => ['workflow', 'forms', index, 'key'], add)
  checkActions(workflow, steps, forms, add)
  checkNotBy(definition, workflow, add)
  checkSet(definition, workflow, add)
  checkForms(definition, workflow, add)
  if (isInvalid) return
  warnOfUnused(workflow, report)
  warnOfFilled(definition, workflow, report)
  warnOfNamed(workflow, report)
  warnOfRejections(workflow, report)
}

const checkActions = (
  workflow: WorkflowDefinition,
  steps: readonly string[],
  forms: readonly string[],
  add: AddFinding,
) => {
  for (const [index, step] of workflow.steps.entries()) {
    const actions = step.actions ?? []
    const at = (...path: JsonPath) => ['workflow', 'steps', index, 'actions', ...path]
    if (step.final && actions.length > 0) add(at(), `cannot start in the final step "${step.key}"`)
    if (!step.final && actions.length === 0)
      add(
        ['workflow', 'steps', index],
        `no action leads from "${step.key}"; give it actions or "final": true`,
      )
    reportTwice(
      actions.map((action) => action.key),
      (position) => at(position, 'key'),
      add,
    )
    for (const [position, action] of actions.entries()) {
      const issue = targetIssue(action, steps)
      if (issue) add(at(position, ...issue.path), issue.message)
      const wrong = messageIssue(action.message, action.condition ?? action.notBy, 'condition')
      if (wrong !== undefined) add(at(position, 'message'), wrong)
      if (action.form !== undefined && !forms.includes(action.form))
        add(
          at(position, 'form'),
          `there is no form "${action.form}"${didYouMean(action.form, forms)}`,
        )
    }
  }
}

/** Fields that an action sets itself, and their values. */
const checkSet = (
  { key, fields }: EntityDefinition,
  { steps, forms = [] }: WorkflowDefinition,
  add: AddFinding,
) => {
  for (const [index, step] of steps.entries())
    for (const [position, action] of (step.actions ?? []).entries()) {
      const form = forms.find((one) => one.key === action.form)
      const inForm = [...(form?.fields ?? []), ...(form?.callerFields ?? [])]
      const at = ['workflow', 'steps', index, 'actions', position, 'set']
      if (action.set && Object.keys(action.set).length === 0)
        add(at, 'names no field: leave it out')
      for (const [name, value] of Object.entries(action.set ?? {})) {
        const settable = fields.filter(isEntered)
        const field = settable.find((one) => one.key === name)
        const issue = field
          ? inForm.includes(name)
            ? `is also in the form "${form?.key}"; name it only in one of the two`
            : setIssue(field, value)
          : `"${name}" is not a field of ${key} that can be set${didYouMean(
              name,
              settable.map((one) => one.key),
            )}`
        if (issue !== undefined) add([...at, name], issue)
      }
    }
}

const setIssue = (field: FieldDefinition, value: unknown): string | undefined => {
  if (value === null)
    return isRequired({ field }) ? 'is required, so it cannot be set to null' : undefined
  if (field.type === 'manyToOne')
    return 'is a link, which an action empties with null; a form with "callerFields" fills in who takes it'
  if (isFileField(field))
    return 'holds files, which an action empties with null; a form with the field asks for them'
  return givenValueIssue({ field, type: fieldTypeOf(field) }, value, 'UTC')
}

/** Names in `notBy` that are neither links to users nor actions, or both. */
const checkNotBy = (
  { key, fields, ownership }: EntityDefinition,
  { steps }: WorkflowDefinition,
  add: AddFinding,
) => {
  const links = [
    ...fields.flatMap((field) =>
      field.type === 'manyToOne' && field.entity === 'user' ? [field.key] : [],
    ),
    ...['_created_by', '_updated_by', ...(ownership === true ? ['_owned_by'] : [])],
  ]
  const actions = [...new Set(steps.flatMap((step) => (step.actions ?? []).map((one) => one.key)))]
  for (const [index, step] of steps.entries())
    for (const [position, { notBy = [] }] of (step.actions ?? []).entries())
      for (const [at, name] of notBy.entries()) {
        const path = ['workflow', 'steps', index, 'actions', position, 'notBy', at]
        const isBoth = links.includes(name) && actions.includes(name)
        if (isBoth) add(path, `"${name}" is a field and an action; give the action another key`)
        else if (!links.includes(name) && !actions.includes(name))
          add(
            path,
            `"${name}" is neither a link of ${key} to user nor an action${didYouMean(name, [...links, ...actions])}`,
          )
      }
}

const targetIssue = (
  { kind, to }: { readonly kind: ActionKind; readonly to?: string },
  steps: readonly string[],
): { readonly path: JsonPath; readonly message: string } | undefined => {
  if (!actionKinds[kind].namesStep)
    return to === undefined
      ? undefined
      : { path: ['to'], message: `must be omitted: the kind "${kind}" finds the step itself` }
  if (to === undefined) return { path: [], message: 'lacks the property "to"' }
  if (steps.includes(to)) return undefined
  return { path: ['to'], message: `there is no step "${to}"${didYouMean(to, steps)}` }
}

/** Whether a value of the field can be given. */
const isEntered = (field: FieldDefinition): boolean =>
  field.type !== 'oneToMany' && !isCalculated(field) && !('series' in field && field.series)

type WorkflowForm = NonNullable<WorkflowDefinition['forms']>[number]

const checkForms = (
  definition: EntityDefinition,
  workflow: WorkflowDefinition,
  add: AddFinding,
) => {
  const fields = definition.fields.filter(isEntered).map((field) => field.key)
  for (const [index, form] of (workflow.forms ?? []).entries()) {
    for (const [position, name] of form.fields.entries())
      if (!fields.includes(name))
        add(
          ['workflow', 'forms', index, 'fields', position],
          `"${name}" is not a field of ${definition.key} that can be set${didYouMean(name, fields)}`,
        )
    for (const [position, name] of (form.required ?? []).entries())
      if (!form.fields.includes(name))
        add(
          ['workflow', 'forms', index, 'required', position],
          `"${name}" is not among the form's fields${didYouMean(name, form.fields)}`,
        )
    for (const [position, name] of (form.callerFields ?? []).entries()) {
      const issue = callerFieldIssue(definition, form, name)
      if (issue !== undefined) add(['workflow', 'forms', index, 'callerFields', position], issue)
    }
    for (const list of ['fields', 'required', 'callerFields'] as const)
      reportTwice(
        form[list] ?? [],
        (position) => ['workflow', 'forms', index, list, position],
        add,
        'is named twice',
      )
  }
}

/** What is wrong with a field that the service is to fill with the caller. */
const callerFieldIssue = (
  { key, fields }: EntityDefinition,
  form: WorkflowForm,
  name: string,
): string | undefined => {
  const people = fields.filter((field) => field.type === 'manyToOne' && field.entity === 'user')
  const names = people.map((field) => field.key)
  if (!names.includes(name))
    return `"${name}" is not a many-to-one field of ${key} to user${didYouMean(name, names)}`
  if (form.fields.includes(name))
    return `"${name}" is also among the form's fields; the service fills it in, so name it only here`
  return people.some((field) => field.key === name && isRequired({ field }))
    ? `"${name}" is required, but only an action fills it in, so no record could be created; make it optional`
    : undefined
}

/** Fields that one action fills with its caller, while another one asks for them. */
const warnOfNamed = (workflow: WorkflowDefinition, add: AddFinding) => {
  const filled = callerFieldsOf({ workflow })
  for (const [index, { fields }] of (workflow.forms ?? []).entries())
    for (const [position, name] of fields.entries()) {
      const [action] = filled.get(name) ?? []
      if (action !== undefined)
        add(
          ['workflow', 'forms', index, 'fields', position],
          `"${name}" is filled with the user who takes "${action}", and here any user may be named; leave it out unless that is meant`,
          'warning',
        )
    }
}

/** Steps in which every record would wait for a decision although nothing can be approved. */
const warnOfRejections = ({ steps }: WorkflowDefinition, add: AddFinding) => {
  for (const [index, { key, actions = [] }] of steps.entries()) {
    const position = actions.findIndex(({ kind }) => kind === 'rejectWorkflow')
    if (position === -1 || actions.some(({ kind }) => kind === 'approveWorkflow')) continue
    add(
      ['workflow', 'steps', index, 'actions', position, 'kind'],
      `nothing can be approved in the step "${key}", but every record in it waits in the approvals of those who may take "${actions[position]?.key}"; with the kind "proceedToStep" it would not`,
      'warning',
    )
  }
}

/** Required fields of a form that have a value before the form is filled in. */
const warnOfFilled = (
  definition: EntityDefinition,
  { forms = [] }: WorkflowDefinition,
  add: AddFinding,
) => {
  const filled = definition.fields
    .filter((field) => 'default' in field && (field.default ?? '') !== '')
    .map((field) => field.key)
  for (const [index, { required = [] }] of forms.entries())
    for (const [position, name] of required.entries())
      if (filled.includes(name))
        add(
          ['workflow', 'forms', index, 'required', position],
          `"${name}" has a default, so records have a value already and the form does not ask for one`,
          'warning',
        )
}

/** Steps that no record can reach, and forms that no action uses. */
const warnOfUnused = ({ initialStep, steps, forms = [] }: WorkflowDefinition, add: AddFinding) => {
  const actions = steps.flatMap((step) => step.actions ?? [])
  const targets = steps.flatMap(({ key, actions: own = [] }) =>
    own.flatMap((action) => targetsOf(action, { from: key, steps })),
  )
  for (const [index, { key }] of forms.entries())
    if (!actions.some(({ form }) => form === key))
      add(['workflow', 'forms', index], `no action has the form "${key}"`, 'warning')
  const reached = new Set([initialStep])
  // The set grows during the loop.
  for (const key of reached)
    for (const step of steps)
      if (step.key === key)
        for (const action of step.actions ?? [])
          for (const to of targetsOf(action, { from: key, steps })) reached.add(to)
  for (const [index, { key, actions: own = [] }] of steps.entries())
    for (const [position, action] of own.entries())
      if (targetsOf(action, { from: key, steps }).length === 0)
        add(
          ['workflow', 'steps', index, 'actions', position],
          `no other step leads to "${key}", so there is no step to return to`,
          'warning',
        )
  for (const [index, { key, final }] of steps.entries()) {
    if (reached.has(key)) continue
    const message = targets.includes(key)
      ? `no action leads from "${initialStep}" to "${key}"`
      : `no action leads to the ${final ? 'final ' : ''}step "${key}"`
    add(['workflow', 'steps', index], message, 'warning')
  }
}

const reportTwice = (
  keys: readonly string[],
  pathOf: (index: number) => JsonPath,
  add: AddFinding,
  message = 'is defined twice',
) => {
  for (const [index, key] of keys.entries())
    if (keys.indexOf(key) !== index) add(pathOf(index), `"${key}" ${message}`)
}
