/**
 * The shape of an entity definition: one schema that is the TypeScript type, the check of
 * `docket check` and the published `schema/entity.json` (docs/definitions.md).
 */
import Type, { type Static, type TSchema } from 'typebox'

const closed = { additionalProperties: false } as const

const key = (description: string) =>
  Type.String({ pattern: '^[a-z][a-z0-9_]*$', maxLength: 63, description })

const described = {
  key: key('snake_case name of the field, at most 63 bytes; its column in PostgreSQL.'),
  name: Type.Optional(Type.String({ minLength: 1, description: 'Label for people.' })),
  description: Type.Optional(Type.String({ description: 'What the field holds.' })),
}
const valued = {
  required: Type.Optional(Type.Boolean({ description: 'Must be given and not null.' })),
}
const scalar = {
  ...valued,
  unique: Type.Optional(Type.Boolean({ description: 'No two records share a value.' })),
  indexed: Type.Optional(Type.Boolean({ description: 'Add an index on this field.' })),
}

const fieldOf = <const T extends string, P extends Record<string, TSchema>>(
  type: T,
  description: string,
  properties: P,
) => Type.Object({ ...described, type: Type.Literal(type, { description }), ...properties }, closed)

const decimalText = (description: string) =>
  Type.String({ pattern: '^-?[0-9]+(\\.[0-9]+)?$', description })
const integerRange = {
  min: Type.Optional(Type.Integer({ description: 'Smallest value allowed.' })),
  max: Type.Optional(Type.Integer({ description: 'Largest value allowed.' })),
}
const textRange = {
  min: Type.Optional(Type.String({ description: 'Earliest value allowed.' })),
  max: Type.Optional(Type.String({ description: 'Latest value allowed.' })),
}

/** One schema per field type; a field is checked against the one its `type` names. */
export const fieldSchemas = {
  string: fieldOf('string', 'A line of text.', {
    ...scalar,
    default: Type.Optional(Type.String()),
    maxLength: Type.Optional(Type.Integer({ minimum: 1, description: 'In characters.' })),
    pattern: Type.Optional(
      Type.String({ description: 'Regular expression that the whole value matches.' }),
    ),
  }),
  text: fieldOf('text', 'Text of any length.', {
    ...scalar,
    default: Type.Optional(Type.String()),
  }),
  email: fieldOf('email', 'An e-mail address.', {
    ...scalar,
    default: Type.Optional(Type.String()),
  }),
  integer: fieldOf('integer', 'A whole number of 32 bits.', {
    ...scalar,
    default: Type.Optional(Type.Integer()),
    ...integerRange,
  }),
  bigint: fieldOf('bigint', 'A whole number of 64 bits.', {
    ...scalar,
    default: Type.Optional(Type.Union([Type.Integer(), Type.String({ pattern: '^-?[0-9]+$' })])),
    min: Type.Optional(Type.Union([Type.Integer(), Type.String({ pattern: '^-?[0-9]+$' })])),
    max: Type.Optional(Type.Union([Type.Integer(), Type.String({ pattern: '^-?[0-9]+$' })])),
  }),
  decimal: fieldOf('decimal', 'An exact decimal number; travels as a string.', {
    ...scalar,
    default: Type.Optional(decimalText('A decimal number as a string.')),
    precision: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1000, description: 'Digits in all.' }),
    ),
    scale: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1000, description: 'Digits after the point.' }),
    ),
    min: Type.Optional(decimalText('Smallest value allowed.')),
    max: Type.Optional(decimalText('Largest value allowed.')),
  }),
  boolean: fieldOf('boolean', 'true or false.', {
    ...scalar,
    default: Type.Optional(Type.Boolean()),
  }),
  date: fieldOf('date', 'A calendar day, YYYY-MM-DD.', {
    ...scalar,
    default: Type.Optional(Type.String()),
    ...textRange,
  }),
  timestamp: fieldOf('timestamp', 'A moment, kept with its zone, to the millisecond.', {
    ...scalar,
    default: Type.Optional(Type.String()),
    ...textRange,
  }),
  enum: fieldOf('enum', 'One of a list of words.', {
    ...scalar,
    default: Type.Optional(Type.String()),
    values: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      uniqueItems: true,
      description: 'The words allowed.',
    }),
  }),
  json: fieldOf('json', 'Any JSON value, kept as it was sent.', {
    ...valued,
    default: Type.Optional(Type.Unknown()),
  }),
  manyToOne: fieldOf('manyToOne', 'A link to one record of another entity.', {
    ...scalar,
    entity: key('The entity that it links to.'),
  }),
  oneToMany: fieldOf('oneToMany', 'The records of another entity that link here; no column.', {
    entity: key('The entity whose records link here.'),
    mappedBy: key('The manyToOne field of that entity.'),
  }),
} as const

export type FieldTypeName = keyof typeof fieldSchemas
export type FieldDefinition = {
  [T in FieldTypeName]: Static<(typeof fieldSchemas)[T]>
}[FieldTypeName]
/** The definition of a field of one type. */
export type FieldOf<T extends FieldTypeName> = Extract<FieldDefinition, { type: T }>

const action = Type.Object(
  {
    key: Type.String({ pattern: '^[a-zA-Z][a-zA-Z0-9_-]*$', maxLength: 63 }),
    name: Type.Optional(Type.String({ minLength: 1 })),
    kind: Type.Enum(['proceedToStep', 'approveWorkflow', 'rejectWorkflow']),
    to: Type.String({ description: 'Key of the step that the record moves to.' }),
    form: Type.Optional(Type.String({ description: 'Key of the form to fill in.' })),
  },
  closed,
)
const step = Type.Object(
  {
    key: Type.String({ pattern: '^[a-zA-Z][a-zA-Z0-9_-]*$', maxLength: 63 }),
    name: Type.Optional(Type.String({ minLength: 1 })),
    final: Type.Optional(Type.Boolean({ description: 'No action leads on from here.' })),
    actions: Type.Optional(Type.Array(action)),
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

// Interface, "Export settings"; escapeFormulas is decided beside it.
const exportSettings = Type.Object(
  {
    useFieldKeyAsHeader: Type.Optional(
      Type.Boolean({ description: 'true: the header is the field as written.' }),
    ),
    escapeFormulas: Type.Optional(
      Type.Boolean({ description: 'false: leave text that a spreadsheet would run as it is.' }),
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

// Interface, "Notification configuration"; content and condition are decided beside it.
const notification = Type.Object(
  {
    operation: Type.Enum(['create', 'takeOwnership', 'proceedToStep']),
    action: Type.Optional(
      Type.String({ description: "An action's kind, key, form or <from step>-<to step>." }),
    ),
    condition: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'A $where object; the entry applies to records that match.',
      }),
    ),
    emailTemplateId: Type.Optional(Type.String({ minLength: 1 })),
    recipient: Type.Object(
      {
        userFields: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
        userGroups: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
        includeActor: Type.Optional(Type.Boolean()),
        skipRightsCheck: Type.Optional(Type.Boolean()),
      },
      { ...closed, minProperties: 1 },
    ),
    attachments: Type.Optional(
      Type.Object(
        {
          printableDocuments: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
          documentFunctions: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
        },
        closed,
      ),
    ),
    content: Type.Optional(
      Type.Object(
        {
          icon: Type.Optional(Type.String()),
          title: Type.Optional(Type.String()),
          message: Type.Optional(Type.String()),
          due_date: Type.Optional(Type.String()),
          url: Type.Optional(Type.String()),
        },
        closed,
      ),
    ),
  },
  closed,
)

const entityParts = {
  $schema: Type.Optional(Type.String()),
  key: key('snake_case name of the entity; its path and its table.'),
  name: Type.Optional(Type.String({ minLength: 1, description: 'Label for people.' })),
  description: Type.Optional(Type.String()),
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
          unique: Type.Optional(Type.Boolean()),
        },
        closed,
      ),
    ),
  ),
  workflow: Type.Optional(workflow),
  exportSettings: Type.Optional(exportSettings),
  hooks: Type.Optional(Type.Array(hook)),
  notifications: Type.Optional(Type.Array(notification)),
}

/** What an editor reads: an entity with every form of field. */
export const entitySchema = Type.Object(
  {
    ...entityParts,
    fields: Type.Array(Type.Union(Object.values(fieldSchemas) as TSchema[]), {
      description: 'The fields, in the order of the export.',
    }),
  },
  closed,
)

/** What the check reads first: fields are objects with a known type, looked at one by one later. */
export const entityFrameSchema = Type.Object(
  { ...entityParts, fields: Type.Array(Type.Object({ type: Type.String() })) },
  closed,
)

export type EntityDefinition = Omit<Static<typeof entityFrameSchema>, 'fields'> & {
  fields: FieldDefinition[]
}
export type WorkflowDefinition = Static<typeof workflow>
export type NotificationDefinition = Static<typeof notification>
export type ExportSettings = Static<typeof exportSettings>
