/** The workflow of an entity as the OpenAPI document describes it: its steps, actions and forms. */
import { actionKindNames, targetsOf } from '../definitions/action-kinds.ts'
import { type Entity, uniqueIndexes } from '../definitions/catalog.ts'
import { fieldTypes } from '../definitions/field-types.ts'
import type { WorkflowDefinition } from '../definitions/schemas/entity-definition.ts'
import { exampleOf } from '../http/openapi/example-value.ts'
import { writtenSchema } from '../http/openapi/field-schema.ts'
import {
  component,
  type Examples,
  type JsonSchema,
  objectOf,
  plainText,
  schemasBy,
  type ValueOf,
} from '../http/openapi/operation.ts'
import { offeredRights } from '../records/record-rights.ts'
import { longestComment } from './check-form.ts'
import { type Action, actionKeys, actionKinds, type Form, formOf, type Step } from './workflow.ts'

/** One line per step: its actions. */
export const stepsText = ({ initialStep, steps }: WorkflowDefinition): string =>
  steps
    .map(({ key, name, final, actions = [] }) => {
      const ways = actions
        .map(
          (action) => `\`${action.key}\` → ${targetsOf(action, { from: key, steps }).join(' or ')}`,
        )
        .join(', ')
      const mark = key === initialStep ? ' (a new record)' : final ? ' (final)' : ''
      return `- **${plainText(name ?? key)}**${mark}${ways === '' ? '' : `: ${ways}`}`
    })
    .join('\n')

export const actionBody = (entity: Entity, workflow: WorkflowDefinition): JsonSchema => {
  const columns = new Set(
    everyAction(entity, workflow).flatMap(({ form }) => [
      ...(form?.columns ?? []),
      ...(form?.callerColumns ?? []),
    ]),
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
            'The form of the action; no other field may be given. What it requires may be omitted if the record has a value already, and its `callerFields`, which the service fills with you.',
          properties: Object.fromEntries(
            [...columns].map((column) => [column.name, writtenSchema(column, 'change')]),
          ),
          additionalProperties: false,
        },
      }),
      comment: {
        type: 'string',
        description: 'Why; stored in the history.',
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

/** One per action; by step if several steps have an action with the same key. */
export const actionExamples = (entity: Entity, workflow: WorkflowDefinition): Examples => {
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

// An example with a unique value would fail at the second attempt.
const formExample = (entity: Entity, { columns, required }: Form): Record<string, unknown> => {
  const unique = new Set(uniqueIndexes(entity).flatMap(({ columns }) => columns))
  const cells = columns
    .filter((column) => required.has(column) || !unique.has(column.name))
    .map((column) => [column.name, exampleOf(entity, column)] as const)
  return Object.fromEntries(cells.filter(([, value]) => value !== undefined))
}

const named = { key: { type: 'string' }, name: { type: 'string' } } as const

const formField = {
  ...named,
  column: { type: 'string', description: 'Its name in a record, and in `values`.' },
  type: { type: 'string', enum: Object.keys(fieldTypes) },
} as const

const formSchema = {
  type: ['object', 'null'],
  description: 'What to fill in; null: nothing, and no values are accepted.',
  properties: {
    key: { type: 'string' },
    fields: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          ...formField,
          required: {
            type: 'boolean',
            description: 'Must be filled in; an existing value of the record counts.',
          },
        },
        required: ['key', 'column', 'name', 'type', 'required'],
      },
    },
    callerFields: {
      type: 'array',
      items: objectOf(formField),
      description: 'Fields that the service fills with you; they need not be sent.',
    },
  },
  required: ['key', 'fields', 'callerFields'],
} as const

const may = objectOf(schemasBy(offeredRights, { type: 'boolean' }), {
  description: 'What you may do with this record besides actions; `tasks`: write its tasks.',
})

const paths = (description: string) =>
  ({ type: 'array', description, items: { type: 'string' } }) as const

const message = {
  type: ['string', 'null'],
  description: 'What the definition says to it, in the language of the answer; null: nothing.',
} as const

const compared = {
  fields: paths('Of the record: what the condition compares, as far as you may read it.'),
  callerFields: paths('Of your user record.'),
}

/** The step of a record, the open actions, and the rights of the caller. */
export const openActions = component('OpenActions', {
  type: 'object',
  properties: {
    step: {
      type: ['object', 'null'],
      description:
        'The current step; null without a workflow, and for a role that `_step` is hidden from.',
      properties: {
        ...named,
        final: { type: 'boolean', description: 'This step has no actions.' },
      },
      required: ['key', 'name', 'final'],
    },
    data: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          ...named,
          kind: { type: 'string', enum: actionKindNames },
          to: { type: 'object', properties: named, required: ['key', 'name'] },
          form: formSchema,
        },
        required: ['key', 'name', 'kind', 'to', 'form'],
      },
    },
    unmet: {
      type: 'array',
      description:
        'Actions of the step that your role may take, but which are not open for this record and you.',
      items: objectOf({
        ...named,
        kind: { type: 'string', enum: actionKindNames },
        ...compared,
        notBy: paths(
          'Why it is left to other users: links of the record to you, and actions that you took, as far as you may see them.',
        ),
        message,
      }),
    },
    hasDeciders: {
      type: 'boolean',
      description:
        'With `deciders=true`, in a step with an action that approves or rejects: whether an active user can take one, by a role other than the administrator. Missing where no other role has such an action.',
    },
    may,
    unmetRights: {
      type: 'array',
      description:
        'Rights that your role has on this record, but whose condition does not hold for it and you.',
      items: objectOf({
        right: { type: 'string', enum: ['update', 'delete'] },
        ...compared,
        message,
      }),
    },
    lockedFields: {
      type: 'array',
      description:
        'The fields of this record that nobody with your role may write now, except by the forms of its actions, because a step locks them.',
      items: objectOf({
        key: { type: 'string' },
        through: {
          type: ['string', 'null'],
          description:
            'The link to the record whose step locks this one with all others of a list; null: it is this record.',
        },
        step: {
          description: 'That step; null if you may not see it.',
          anyOf: [objectOf(named), { type: 'null' }],
        },
      }),
    },
    mayCreate: {
      type: 'object',
      description:
        'By one-to-many field: whether you may create a record that links to this one. What a condition of your role demands of other fields is not known yet.',
      additionalProperties: { type: 'boolean' },
    },
  },
  required: ['step', 'data', 'unmet', 'may', 'unmetRights', 'lockedFields', 'mayCreate'],
})

export type OpenActions = ValueOf<typeof openActions>

/** An action with the records that it is open for. */
export const actionOfRecords = component(
  'ActionOfRecords',
  objectOf({
    ...named,
    kind: { type: 'string', enum: actionKindNames },
    ids: {
      type: 'array',
      items: { type: 'integer' },
      description: 'The records that it is open for, in ascending order.',
    },
  }),
)
export type ActionOfRecords = ValueOf<typeof actionOfRecords>
