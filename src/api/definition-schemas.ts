/** The caller and the definitions as the OpenAPI document describes them. */
import { recordRights } from '../auth/permissions.ts'
import { fieldTypes } from '../definitions/field-types.ts'
import { notifiedOperations } from '../definitions/operations.ts'
import { entitySchema } from '../definitions/schemas/entity-definition.ts'
import { notificationRule } from '../definitions/schemas/notification-rule.ts'
import { conditionalRights } from '../definitions/schemas/role-definition.ts'
import { component, type JsonSchema, objectOf, schemaRef } from '../http/openapi/operation.ts'
import { namedUserOr } from '../records/history.ts'

const scope: JsonSchema = {
  description: '`own`: the records that the caller created or owns.',
  enum: [true, false, 'own'],
}
const rights: Readonly<Record<string, JsonSchema>> = {
  create: { type: 'boolean' },
  ...Object.fromEntries(recordRights.map((right) => [right, scope])),
  actions: { type: 'array', items: { type: 'string' }, description: 'Keys of workflow actions.' },
  conditional: {
    type: 'array',
    items: { type: 'string', enum: conditionalRights },
    description:
      'Those of the rights that have a condition on the record; `GET …/actions` tells whether it holds.',
  },
  conditionalActions: {
    type: 'array',
    items: { type: 'string' },
    description: 'Those of the actions that have a condition on the record in some step.',
  },
}

const fieldSchema: JsonSchema = {
  type: 'object',
  description: 'The field as the definition has it.',
  properties: {
    key: { type: 'string' },
    name: { type: 'string' },
    description: { type: 'string' },
    type: { type: 'string', enum: Object.keys(fieldTypes) },
    required: { type: 'boolean' },
    values: { type: 'array', items: { type: 'string' }, description: 'Of an enum: its values.' },
    valueNames: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Of an enum: what people call its values; those without a name are left out.',
    },
    message: {
      type: 'string',
      description: 'What people are told of a value that does not match its `pattern`.',
    },
    unit: {
      anyOf: [{ type: 'string' }, objectOf({ field: { type: 'string' } }), { type: 'null' }],
      description:
        'Of a number: its unit or currency, or the path to the text that names it; null if the caller may not read that.',
    },
    column: {
      type: ['string', 'null'],
      description: 'Its name in a record: `<key>_id` for a many-to-one, null for a one-to-many.',
    },
    isSystem: { type: 'boolean', description: 'Kept by the service; callers cannot write it.' },
    isCalculated: {
      type: 'boolean',
      description: 'Calculated by the service from other values; callers cannot write it.',
    },
    writtenBy: {
      type: 'array',
      items: { type: 'string' },
      description:
        'Keys of the actions that fill it with their caller; callers cannot write it otherwise.',
    },
    calculatedFrom: {
      type: 'array',
      items: { type: 'string' },
      description:
        'Of a calculated field: the names of what it follows from in the same record, as far as the caller may see them.',
    },
    linkName: {
      type: 'string',
      description:
        'Of a link to users not all of whom the caller may read: the field with their name, which paths over the link may end at for all of them.',
    },
  },
  required: ['key', 'type', 'column', 'isSystem', 'isCalculated'],
}

// The published schemas themselves; converted to text, because TypeBox adds symbols of its own to them.
const workflowSchema: JsonSchema = JSON.parse(JSON.stringify(entitySchema.properties.workflow))
const ruleSchema: JsonSchema = JSON.parse(JSON.stringify(notificationRule))

const exportSettings = objectOf(
  {
    useFieldKeyAsHeader: { type: 'boolean' },
    escapeFormulas: { type: 'boolean' },
    columnDefs: {
      type: 'array',
      items: objectOf({
        field: { type: 'string', description: 'A column of the entity, or a path to one.' },
        headerName: { type: 'string', description: 'Its header in the file.' },
        format: {
          type: 'string',
          enum: ['key', 'name'],
          description: 'Whether the file has values, or the names of choices and steps.',
        },
        label: { type: 'string', description: 'Its text for people.' },
      }),
    },
  },
  { description: 'The columns of an export without `$select`, without those that are omitted.' },
)

const allRights = component('Rights', objectOf(rights))

/** What administrators look into, each with paths of its own. */
export const administrationParts = ['deliveries', 'jobs', 'explain', 'definitions', 'mail'] as const
export type AdministrationPart = (typeof administrationParts)[number]

/** The caller's user record, with role and permissions. */
export const me = component('Me', {
  description: 'The caller’s user record, with role and permissions by entity.',
  allOf: [schemaRef('user')],
  ...objectOf({
    acting_user: namedUserOr(
      'Who signed in, where the session acts as this user; null: this user. Only during development.',
    ),
    role: { type: 'string', description: 'Key of the security role.' },
    role_name: { type: 'string', description: 'Name of the security role.' },
    administration: {
      type: 'array',
      items: { type: 'string', enum: administrationParts },
      description:
        'The parts of the administration that answer this caller; none but for administrators, and `mail` only with `EMAIL_PROVIDER=file`.',
    },
    permissions: { type: 'object', additionalProperties: allRights },
  }),
})

const described: Readonly<Record<string, JsonSchema>> = {
  key: { type: 'string' },
  name: { type: 'string' },
  pluralName: {
    type: 'string',
    description: 'What several records are called; the name where the definition has no other.',
  },
  description: { type: ['string', 'null'] },
  isNative: { type: 'boolean', description: 'Shipped with the service.' },
  isPartOfRecord: {
    type: 'boolean',
    description:
      'Its records are part of another record, such as tasks, and written below its path.',
  },
  menuGroup: {
    description: 'Its group in menus, as `docket.json` says; null: none.',
    anyOf: [
      objectOf({ key: { type: 'string' }, name: { type: ['string', 'null'] } }),
      { type: 'null' },
    ],
  },
  isHiddenInMenu: { type: 'boolean', description: 'Whether menus leave it out.' },
  displayField: { type: 'string', description: 'The field that names a record.' },
  ownership: { type: 'boolean' },
  fields: { type: 'array', items: fieldSchema },
  notifiedOperations: {
    type: 'array',
    items: { type: 'string', enum: [...notifiedOperations] },
    description: 'The operations that some rule notifies users of.',
  },
  validations: {
    type: 'array',
    items: objectOf({
      key: { type: 'string' },
      message: { type: 'string', description: 'What people are told whose record does not match.' },
      field: { type: ['string', 'null'], description: 'The field that has the message.' },
      condition: {
        type: ['object', 'null'],
        description: 'Criteria that a written record must match; null if they read what is hidden.',
        additionalProperties: true,
      },
    }),
  },
  workflow: { anyOf: [workflowSchema, { type: 'null' }] },
  permissions: allRights,
  exportSettings,
}

/** What only administrators see. */
const forAdministrators: Readonly<Record<string, JsonSchema>> = {
  notifications: {
    type: 'array',
    items: ruleSchema,
    description: 'The rules of the definition; for administrators.',
  },
  hooks: {
    type: 'array',
    items: objectOf({
      type: { type: 'string' },
      hookType: { type: 'string' },
      functionName: { type: 'string' },
    }),
    description: 'The hooks of the definition; for administrators.',
  },
  roles: {
    type: 'array',
    items: objectOf({
      key: { type: 'string' },
      name: { type: 'string' },
      ...rights,
      hiddenFields: { type: 'array', items: { type: 'string' } },
      conditions: {
        type: 'object',
        description: 'By right: criteria that the record must match.',
        additionalProperties: { type: 'object' },
      },
    }),
    description: 'The roles that have a permission on the entity; for administrators.',
  },
}

/** An entity as its caller may see it. */
export const entityDescription = component('EntityDescription', {
  ...objectOf(described),
  properties: { ...described, ...forAdministrators },
})
