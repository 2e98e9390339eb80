/** Checks that a workflow's steps, actions and forms fit together. */
import { suggestion } from '../near-miss.ts'
import type { EntityDefinition, WorkflowDefinition } from './entity-definition.ts'
import type { JsonPath } from './source-file.ts'

type Add = (path: JsonPath, message: string) => void

export const checkWorkflow = (definition: EntityDefinition, add: Add): void => {
  const { workflow } = definition
  if (!workflow) return
  const steps = workflow.steps.map((step) => step.key)
  const forms = (workflow.forms ?? []).map((form) => form.key)
  if (!steps.includes(workflow.initialStep))
    add(
      ['workflow', 'initialStep'],
      `there is no step "${workflow.initialStep}"${suggestion(workflow.initialStep, steps)}`,
    )
  reportTwice(steps, (index) => ['workflow', 'steps', index, 'key'], add)
  reportTwice(forms, (index) => ['workflow', 'forms', index, 'key'], add)
  checkActions(workflow, steps, forms, add)
  checkForms(definition, workflow, add)
}

const checkActions = (
  workflow: WorkflowDefinition,
  steps: readonly string[],
  forms: readonly string[],
  add: Add,
) => {
  for (const [index, step] of workflow.steps.entries()) {
    const actions = step.actions ?? []
    const at = (...path: JsonPath) => ['workflow', 'steps', index, 'actions', ...path]
    if (step.final && actions.length > 0) add(at(), `cannot stand in the final step "${step.key}"`)
    if (!step.final && actions.length === 0)
      add(
        ['workflow', 'steps', index],
        `no action leads on from "${step.key}"; give it actions or "final": true`,
      )
    reportTwice(
      actions.map((action) => action.key),
      (position) => at(position, 'key'),
      add,
    )
    for (const [position, action] of actions.entries()) {
      if (!steps.includes(action.to))
        add(at(position, 'to'), `there is no step "${action.to}"${suggestion(action.to, steps)}`)
      if (action.form !== undefined && !forms.includes(action.form))
        add(
          at(position, 'form'),
          `there is no form "${action.form}"${suggestion(action.form, forms)}`,
        )
    }
  }
}

const checkForms = (definition: EntityDefinition, workflow: WorkflowDefinition, add: Add) => {
  const fields = definition.fields
    .filter((field) => field.type !== 'oneToMany')
    .map((field) => field.key)
  for (const [index, form] of (workflow.forms ?? []).entries()) {
    for (const [position, name] of form.fields.entries())
      if (!fields.includes(name))
        add(
          ['workflow', 'forms', index, 'fields', position],
          `"${name}" is not a field of ${definition.key} that can be set${suggestion(name, fields)}`,
        )
    for (const [position, name] of (form.required ?? []).entries())
      if (!form.fields.includes(name))
        add(
          ['workflow', 'forms', index, 'required', position],
          `"${name}" is not among the form's fields${suggestion(name, form.fields)}`,
        )
  }
}

const reportTwice = (keys: readonly string[], pathOf: (index: number) => JsonPath, add: Add) => {
  for (const [index, key] of keys.entries())
    if (keys.indexOf(key) !== index) add(pathOf(index), `"${key}" is defined twice`)
}
