/** Describes the paths of the workflow (src/workflow/routes.ts) of every entity that has one. */
import { type Entity, indexesOf } from '../definitions/catalog.ts'
import { fieldTypes } from '../definitions/field-types.ts'
import { workflowActionKinds } from '../definitions/operations.ts'
import type { WorkflowDefinition } from '../definitions/schemas/entity-definition.ts'
import {
  type DescribedFeature,
  type DescribedOperation,
  type Example,
  type JsonSchema,
  jsonContent,
  plainText,
  schemaRef,
} from '../http/described-operation.ts'
import { entityId, ifMatch } from '../http/described-parameters.ts'
import { exampleOf } from '../http/example-value.ts'
import { writtenSchema } from '../http/field-schema.ts'
import { longestComment } from './action-request.ts'
import { type Action, actionKeys, actionKinds, type Form, formOf, type Step } from './workflow.ts'

type Row = Omit<DescribedOperation, 'id' | 'tag'> & { readonly verb: string }

const operationsOf = (entity: Entity, workflow: WorkflowDefinition): DescribedOperation[] => {
  const rows: readonly Row[] = [actionsRow(entity), proceedRow(entity, workflow)]
  // A verb has no underscore, so no two entities and verbs make the same id.
  return rows.map(({ verb, ...row }) => ({ ...row, id: `${verb}_${entity.key}`, tag: entity.key }))
}

const actionsRow = ({ key, name }: Entity): Row => ({
  verb: 'actions',
  method: 'get',
  path: `/${key}/{entityId}/actions`,
  summary: `What you may do now with a record of “${name}”`,
  description:
    'The actions that are open in its step and that your role may take, each with the form to fill in.',
  parameters: [entityId],
  answers: {
    200: {
      description: 'The step and its actions.',
      content: jsonContent(schemaRef('OpenActions')),
    },
  },
  errors: ['request.invalid', 'caller.forbidden', 'record.unknown'],
})

const proceedRow = (entity: Entity, workflow: WorkflowDefinition): Row => ({
  verb: 'proceedToStep',
  method: 'post',
  path: `/${entity.key}/{entityId}/proceedToStep`,
  summary: `Take a workflow action on a record of “${entity.name}”`,
  description: `${stepsText(workflow)}\n\nOf two callers at once one wins; the other one gets a 409.`,
  parameters: [entityId, ifMatch],
  body: {
    isRequired: true,
    schema: bodySchema(entity, workflow),
    examples: examplesOf(entity, workflow),
  },
  answers: {
    200: {
      description: 'The record in its new step.',
      headers: ['ETag'],
      content: jsonContent(schemaRef(entity.key)),
    },
  },
  errors: [
    ...(['request.invalid', 'caller.forbidden', 'record.unknown', 'record.invalid'] as const),
    ...(['record.conflict', 'record.stale', 'workflow.action-not-open'] as const),
  ],
})

/** One line per step: what leads on from it. */
const stepsText = ({ initialStep, steps }: WorkflowDefinition): string =>
  steps
    .map(({ key, name, final, actions = [] }) => {
      const ways = actions.map((action) => `\`${action.key}\` → ${action.to}`).join(', ')
      const mark = key === initialStep ? ' (a new record)' : final ? ' (final)' : ''
      return `- **${plainText(name ?? key)}**${mark}${ways === '' ? '' : `: ${ways}`}`
    })
    .join('\n')

const bodySchema = (entity: Entity, workflow: WorkflowDefinition): JsonSchema => {
  const columns = new Set(
    everyAction(entity, workflow).flatMap(({ form }) => [...(form?.columns ?? [])]),
  )
  return {
    type: 'object',
    properties: {
      action: {
        type: 'string',
        enum: [...actionKeys(workflow), ...actionKinds(workflow)],
        description: 'Its key, or its kind where just one action of that kind is open.',
      },
      ...(columns.size > 0 && {
        values: {
          type: 'object',
          description:
            'The form of the action; no other field may be given. What it requires may be left out where the record holds it already.',
          properties: Object.fromEntries(
            [...columns].map((column) => [column.name, writtenSchema(column, 'change')]),
          ),
          additionalProperties: false,
        },
      }),
      comment: {
        type: 'string',
        description: 'Why; kept in the history.',
        minLength: 1,
        maxLength: longestComment,
      },
    },
    required: ['action'],
    additionalProperties: false,
  }
}

type Way = { readonly step: Step; readonly action: Action; readonly form: Form | undefined }

const everyAction = (entity: Entity, workflow: WorkflowDefinition): readonly Way[] =>
  workflow.steps.flatMap((step) =>
    (step.actions ?? []).map((action) => ({
      step,
      action,
      form: formOf(entity, workflow, action),
    })),
  )

/** One per action; by step where several steps have one of the same key. */
const examplesOf = (entity: Entity, workflow: WorkflowDefinition): Record<string, Example> => {
  const ways = everyAction(entity, workflow)
  return Object.fromEntries(
    ways.map(({ step, action, form }) => {
      const isAlone = ways.filter((way) => way.action.key === action.key).length === 1
      const summary = `${action.name ?? action.key}, in ${step.name ?? step.key}`
      const value = { action: action.key, ...(form && { values: formExample(entity, form) }) }
      return [isAlone ? action.key : `${step.key}-${action.key}`, { summary, value }]
    }),
  )
}

// A unique value of an example would be taken at the second try.
const formExample = (entity: Entity, { columns, required }: Form): Record<string, unknown> => {
  const unique = new Set(indexesOf(entity).flatMap((index) => (index.unique ? index.columns : [])))
  const cells = columns
    .filter((column) => required.has(column) || !unique.has(column.name))
    .map((column) => [column.name, exampleOf(entity, column)] as const)
  return Object.fromEntries(cells.filter(([, value]) => value !== undefined))
}

const named = { key: { type: 'string' }, name: { type: 'string' } } as const

const formSchema: JsonSchema = {
  type: ['object', 'null'],
  description: 'What to fill in; null: nothing, and no values are taken.',
  properties: {
    key: { type: 'string' },
    fields: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          ...named,
          column: { type: 'string', description: 'Its name in a record, and in `values`.' },
          type: { type: 'string', enum: Object.keys(fieldTypes) },
          required: {
            type: 'boolean',
            description: 'Must be filled in; a value that the record holds already counts.',
          },
        },
        required: ['key', 'column', 'name', 'type', 'required'],
      },
    },
  },
  required: ['key', 'fields'],
}

const openActionsSchema: JsonSchema = {
  type: 'object',
  properties: {
    step: {
      type: ['object', 'null'],
      description: 'Where the record stands; null for a role that `_step` is hidden from.',
      properties: {
        ...named,
        final: { type: 'boolean', description: 'No action leads on from here.' },
      },
      required: ['key', 'name', 'final'],
    },
    data: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          ...named,
          kind: { type: 'string', enum: workflowActionKinds },
          to: { type: 'object', properties: named, required: ['key', 'name'] },
          form: formSchema,
        },
        required: ['key', 'name', 'kind', 'to', 'form'],
      },
    },
  },
  required: ['step', 'data'],
}

/** proceedToStep and actions. */
export const workflowFeature: DescribedFeature = {
  operations: ({ entities }) =>
    [...entities.values()].flatMap((entity) => {
      const { workflow } = entity.definition
      return workflow ? operationsOf(entity, workflow) : []
    }),
  schemas: { OpenActions: openActionsSchema },
}
