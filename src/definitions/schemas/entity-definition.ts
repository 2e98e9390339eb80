/**
 * The shape of an entity definition: one schema that is the TypeScript type, the check of
 * `docket check` and the published `schema/entity.json` (docs/definitions.md).
 */
import type { Static } from 'typebox'
import { actionKindNames } from '../action-kinds.ts'
import { key, message, uniqueTexts, was } from '../field-types/schema-parts.ts'
import { type FieldDefinition, fieldTypes } from '../field-types.ts'
import { importDefinition } from './import-definition.ts'
import { notificationRule } from './notification-rule.ts'
import { closed, Type } from './schema-builder.ts'

const action = Type.Object(
  {
    key: Type.String({ pattern: '^[a-zA-Z][a-zA-Z0-9_-]*$', maxLength: 63 }),
    name: Type.Optional(Type.String({ minLength: 1 })),
    kind: Type.Enum(actionKindNames),
    to: Type.Optional(Type.String({ description: 'Key of the step that the record moves to.' })),
    form: Type.Optional(Type.String({ description: 'Key of the form to fill in.' })),
    condition: Type.Optional(
      Type.Object(
        {},
        {
          description:
            'Criteria that the record must match; a value may be one of the caller: { "$caller": "approval_limit" }.',
        },
      ),
    ),
    set: Type.Optional(
      Type.Object(
        {},
        {
          description:
            'By field: what the action writes itself: a value, null to empty it, or for dates and times one that moves, such as { "$today": 0 }.',
        },
      ),
    ),
    notBy: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        uniqueItems: true,
        description:
          'Who does not take it: links to `user`, such as `_created_by`, and actions, whose takers are left out until the record enters the step of that action again.',
      }),
    ),
    message: message('of an action whose `condition` does not hold'),
  },
  closed,
)
const locks = Type.Object(
  {
    fields: Type.Union([Type.Literal('all'), Type.Array(Type.String())], {
      description:
        'Fields that nobody writes while the record is in this step; a one-to-many field: nobody writes its records. "all": nothing of the record is written, and it is not removed.',
    }),
    except: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        uniqueItems: true,
        description: 'Keys of the roles for which nothing is locked.',
      }),
    ),
  },
  closed,
)
const step = Type.Object(
  {
    key: Type.String({ pattern: '^[a-zA-Z][a-zA-Z0-9_-]*$', maxLength: 63 }),
    name: Type.Optional(Type.String({ minLength: 1 })),
    was: was('Earlier key of this step, or several; records in it move here.'),
    final: Type.Optional(Type.Boolean({ description: 'This step has no actions.' })),
    actions: Type.Optional(Type.Array(action)),
    locks: Type.Optional(locks),
  },
  closed,
)
const form = Type.Object(
  {
    key: Type.String({ pattern: '^[a-zA-Z][a-zA-Z0-9_-]*$', maxLength: 63 }),
    fields: Type.Array(Type.String(), { description: 'Fields that the action may set.' }),
    required: Type.Optional(
      Type.Array(Type.String(), { description: 'Fields that the action must set.' }),
    ),
    callerFields: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Links to `user` that the service fills with the user who takes the action.',
      }),
    ),
  },
  closed,
)
const workflow = Type.Object(
  {
    initialStep: Type.String({ description: 'Key of the step of a new record.' }),
    steps: Type.Array(step, { minItems: 1 }),
    forms: Type.Optional(Type.Array(form)),
  },
  closed,
)

const validation = Type.Object(
  {
    key: key('snake_case name of the validation, for its translations.'),
    condition: Type.Object({}, { description: 'Criteria that every written record must match.' }),
    message: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'What people are told whose record does not match.',
    }),
    field: Type.Optional(Type.String({ description: 'The field that has the message.' })),
  },
  closed,
)

const retention = Type.Object(
  {
    after: Type.String({
      description: 'How long a record is kept, such as "90 days", "6 months" or "10 years".',
    }),
    of: Type.Optional(
      Type.String({
        description:
          'The date or timestamp from which it counts, by default `_created_at`; a record without one stays.',
      }),
    ),
    where: Type.Optional(
      Type.Object({}, { description: 'Criteria that a record must match; by default all do.' }),
    ),
    operation: Type.Enum(['remove', 'anonymise'], {
      description:
        '"remove": for good, unless other records link to it; "anonymise": its personal values are replaced.',
    }),
  },
  closed,
)

const comments = Type.Union([
  Type.Boolean(),
  Type.Object(
    {
      internal: Type.Optional(
        Type.Boolean({
          description:
            'Whether comments may be for roles with the permission internalComments alone.',
        }),
      ),
      follow: Type.Optional(
        Type.Array(Type.String({ minLength: 1 }), {
          description:
            'Who follows a record: paths that end at a user, such as _created_by; $actor, who has done something to it; $mentioned and $commented, who are mentioned or have commented. By default the last two.',
        }),
      ),
    },
    closed,
  ),
])

// Part of the export interface (docs/export.md).
const exportSettings = Type.Object(
  {
    useFieldKeyAsHeader: Type.Optional(
      Type.Boolean({ description: 'true: the header is the field as written.' }),
    ),
    escapeFormulas: Type.Optional(
      Type.Boolean({ description: 'false: do not escape text that a spreadsheet would evaluate.' }),
    ),
    columnDefs: Type.Optional(
      Type.Array(
        Type.Object(
          {
            headerName: Type.Optional(Type.String({ description: 'Label of the column.' })),
            field: Type.String({
              minLength: 1,
              description: 'A field, a system field, or a many-to-one path to one.',
            }),
            format: Type.Optional(
              Type.Enum(['key', 'name'], {
                description:
                  'Of an enum or `_step`: its value as it is stored, or what people call it; by default the first.',
              }),
            ),
          },
          closed,
        ),
        { minItems: 1 },
      ),
    ),
  },
  closed,
)

const hook = Type.Object(
  {
    type: Type.Literal('message'),
    hookType: Type.Literal('AfterChange'),
    functionName: Type.String({
      pattern: '^[A-Za-z_][A-Za-z0-9_-]*$',
      description: '_sendNotificationHandler sends the notifications below.',
    }),
  },
  closed,
)

const entityParts = {
  $schema: Type.Optional(Type.String()),
  key: key('snake_case name of the entity; its path and its table.'),
  name: Type.Optional(Type.String({ minLength: 1, description: 'Display label.' })),
  pluralName: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'Display label of several records; by default `name`.',
    }),
  ),
  description: Type.Optional(Type.String()),
  was: was('Earlier key of this entity, or several; its table is renamed and keeps its records.'),
  extends: Type.Optional(
    Type.Literal('native', { description: 'Adds to the native entity of the same key.' }),
  ),
  displayField: Type.Optional(Type.String({ description: 'The field that names a record.' })),
  ownership: Type.Optional(Type.Boolean({ description: 'Records have an owner, `_owned_by`.' })),
  indexes: Type.Optional(
    Type.Array(
      Type.Object(
        {
          fields: Type.Array(Type.String(), { minItems: 1, uniqueItems: true }),
          unique: uniqueTexts,
          nullsNotDistinct: Type.Optional(
            Type.Boolean({
              description: 'Of a unique index: two records that lack the same parts are the same.',
            }),
          ),
        },
        closed,
      ),
    ),
  ),
  validations: Type.Optional(Type.Array(validation)),
  workflow: Type.Optional(workflow),
  comments: Type.Optional(comments),
  retention: Type.Optional(Type.Array(retention, { minItems: 1 })),
  exportSettings: Type.Optional(exportSettings),
  imports: Type.Optional(Type.Array(importDefinition, { minItems: 1 })),
  hooks: Type.Optional(Type.Array(hook)),
  notifications: Type.Optional(Type.Array(notificationRule)),
}

/** The schema for editors: an entity with every form of field. */
export const entitySchema = Type.Object(
  {
    ...entityParts,
    fields: Type.Array(Type.Union(Object.values(fieldTypes).map(({ schema }) => schema)), {
      description: 'The fields, in the order of the export.',
    }),
  },
  closed,
)

/** The schema of the first check: fields are objects with a known type, checked one by one later. */
export const entityFrameSchema = Type.Object(
  { ...entityParts, fields: Type.Array(Type.Object({ type: Type.String() })) },
  closed,
)

export type EntityDefinition = Omit<Static<typeof entityFrameSchema>, 'fields'> & {
  fields: FieldDefinition[]
}
export type WorkflowDefinition = Static<typeof workflow>
/** What a step locks. */
export type StepLocks = Static<typeof locks>
export type ValidationDefinition = Static<typeof validation>
/** How long records are kept, and what becomes of them then. */
export type RetentionDefinition = Static<typeof retention>
