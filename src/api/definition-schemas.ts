/** The caller and the definitions as the OpenAPI document describes them. */
import { recordRights } from '../auth/entity-rights.ts'
import { rollupNames } from '../definitions/calculations/rollups.ts'
import { type FieldTypeName, fieldTypes } from '../definitions/field-types.ts'
import { notifiedOperations } from '../definitions/operations.ts'
import { entitySchema } from '../definitions/schemas/entity-definition.ts'
import { notificationRule } from '../definitions/schemas/notification-rule.ts'
import { conditionalRights } from '../definitions/schemas/role-definition.ts'
import {
  component,
  objectOf,
  schemaRef,
  schemasBy,
  textOrNull,
  type ValueOf,
} from '../http/openapi/operation.ts'
import { namedUserOr } from '../records/history.ts'
import { describedRoles } from './roles-of-user.ts'

const scope = {
  description: '`own`: the records that the caller created or owns.',
  enum: [true, false, 'own'],
} as const
const rights = {
  create: { type: 'boolean' },
  import: { enum: [true, false, 'history'] },
  ...schemasBy(recordRights, scope),
  actions: { type: 'array', items: { type: 'string' }, description: 'Keys of workflow actions.' },
  conditional: {
    type: 'array',
    items: { type: 'string', enum: ['read', ...conditionalRights] },
    description:
      'The rights that depend on the record, by a condition or by what a step locks; `GET …/actions` says whether that of a write holds, and which fields are locked.',
  },
  conditionalActions: {
    type: 'array',
    items: { type: 'string' },
    description: 'The actions that have a condition on the record in some step.',
  },
} as const

const names = { type: 'array', items: { type: 'string' } } as const

const field = objectOf(
  {
    key: { type: 'string' },
    name: { type: 'string' },
    description: { type: 'string' },
    type: { type: 'string', enum: Object.keys(fieldTypes) as FieldTypeName[] },
    required: { type: 'boolean' },
    unique: {
      enum: [true, false, 'ignoreCase'],
      description: 'Whether no two records share a value; `ignoreCase`: whatever its case.',
    },
    personal: {
      type: 'boolean',
      description: 'Whether its values are about a person, and go when a record is anonymised.',
    },
    default: {
      description:
        'The value of a new record that gives none: itself, a time that moves, or {"$caller": …}, what the user has who creates it.',
    },
    series: objectOf(
      {
        format: {
          ...textOrNull,
          description: 'The form of its numbers; null if the caller may not see all that it tells.',
        },
        on: {
          anyOf: [{ const: 'create' }, objectOf({ action: { type: 'string' } })],
          description: 'What gives a record its number: its creation, or the action of a key.',
        },
      },
      { description: 'The service gives its values, numbers; callers cannot write it.' },
    ),
    values: { ...names, description: 'Of an enum: its values.' },
    valueNames: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Of an enum: the names of its values; those without a name are left out.',
    },
    maxLength: { type: 'integer' },
    pattern: {
      type: 'string',
      description: 'Of a string: the pattern that the whole value matches.',
    },
    message: {
      type: 'string',
      description: 'The message for a value that does not match its `pattern`.',
    },
    accept: { ...names, description: 'Of files: their media types; without it any.' },
    maxBytes: { type: 'integer', description: 'Of files: the bytes of each; of json: of a value.' },
    maxFiles: { type: 'integer', description: 'Of files: how many; 50 without it.' },
    schemes: { ...names, description: 'Of a url: what it may begin with.' },
    region: {
      type: 'string',
      description: 'Of a phone: where numbers without their country are dialled.',
    },
    precision: { type: 'integer' },
    scale: { type: 'integer' },
    min: { type: ['string', 'number'] },
    max: { type: ['string', 'number'] },
    grouping: {
      type: 'boolean',
      description: 'Of a whole number: false if its thousands are not grouped.',
    },
    unit: {
      anyOf: [{ type: 'string' }, objectOf({ field: { type: 'string' } }), { type: 'null' }],
      description:
        'Of a number: its unit or currency, or the path to the text that names it; null if the caller may not read that.',
    },
    formula: {
      ...textOrNull,
      description: 'Of a calculated field; null if the caller may not see all that it reads.',
    },
    rollup: {
      anyOf: [
        objectOf(
          {
            ...schemasBy(rollupNames, { type: 'string' }),
            where: { type: 'object', description: 'Criteria that a record must match to count.' },
          },
          { required: [] },
        ),
        { type: 'null' },
      ],
      description: 'Of a calculated field; null if the caller may not see all that it reads.',
    },
    entity: {
      ...textOrNull,
      description: 'The entity that it links to; null if the caller may not know it.',
    },
    mappedBy: {
      ...textOrNull,
      description:
        'Of a one-to-many: the link of the other entity that leads here; null if the caller may not see it.',
    },
    orderBy: {
      ...textOrNull,
      description:
        'Of a one-to-many: the integer field of the other entity by which the records are in order; null if the caller may not see it.',
    },
    column: {
      ...textOrNull,
      description: 'Its name in a record: `<key>_id` for a many-to-one, null for a one-to-many.',
    },
    isSystem: { type: 'boolean', description: 'Kept by the service; callers cannot write it.' },
    isCalculated: {
      type: 'boolean',
      description: 'Calculated by the service from other values; callers cannot write it.',
    },
    writtenBy: {
      ...names,
      description:
        'Keys of the actions that fill it with their caller; callers cannot write it otherwise.',
    },
    isReadOnly: {
      type: 'boolean',
      description: "Whether the caller's role may write it in the form of an action alone.",
    },
    calculatedFrom: {
      ...names,
      description:
        'Of a calculated field: the names of what it follows from in the same record, as far as the caller may see them.',
    },
    linkName: {
      type: 'string',
      description:
        'Of a link to users of whom the caller may read only some: the field with their name, at which paths over the link may end for all of them.',
    },
  },
  {
    description: 'The field as the definition has it.',
    required: ['key', 'type', 'column', 'isSystem', 'isCalculated'],
  },
)
/** A field of an entity as its caller may see it. */
export type Field = ValueOf<typeof field>

// The published schemas themselves; converted to text, because TypeBox adds symbols of its own to them.
const published = <S>(schema: S): S => JSON.parse(JSON.stringify(schema))

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

/** The parts of the administration, each with paths of its own. */
export const administrationParts = [
  'users',
  'deliveries',
  'jobs',
  'audit',
  'explain',
  'definitions',
  'mail',
] as const
export type AdministrationPart = (typeof administrationParts)[number]

const aboutCaller = objectOf(
  {
    acting_user: namedUserOr(
      'The user who signed in, if the session acts as this user; otherwise null. Only during development.',
    ),
    ...describedRoles,
    administration: {
      type: 'array',
      items: { type: 'string', enum: administrationParts },
      description:
        'The parts of the administration that the caller may use: all of them for administrators, `audit` for roles with this permission, and `mail` only with `EMAIL_PROVIDER=file`.',
    },
    permissions: { type: 'object', additionalProperties: allRights },
    key_scope: {
      type: 'string',
      description:
        'The scope of the API key, if it has one; the permissions are those that it leaves.',
    },
  },
  {
    required: ['acting_user', 'role', 'role_name', 'roles', 'administration', 'permissions'],
  },
)

/** The caller's user record, with role and permissions. */
export const me = component('Me', {
  description: 'The caller’s user record, with role and permissions by entity.',
  allOf: [schemaRef('user')],
  ...aboutCaller,
})

const described = {
  key: { type: 'string' },
  name: { type: 'string' },
  pluralName: {
    type: 'string',
    description: 'The name of several records; that of one if the definition has no other.',
  },
  description: textOrNull,
  isNative: { type: 'boolean', description: 'Shipped with the service.' },
  isPartOfRecord: {
    type: 'boolean',
    description:
      'Its records are part of another record, such as tasks, and written below its path.',
  },
  menuGroup: {
    description: 'Its group in menus, as `docket.json` says; null: none.',
    anyOf: [objectOf({ key: { type: 'string' }, name: textOrNull }), { type: 'null' }],
  },
  isHiddenInMenu: {
    type: 'boolean',
    description: 'Whether menus leave it out; for administrators those of which they have a page.',
  },
  displayField: { type: 'string', description: 'The field that names a record.' },
  ownership: { type: 'boolean' },
  fields: { type: 'array', items: field },
  comments: {
    description: 'What comments on its records may be; null: they have none.',
    anyOf: [
      objectOf({
        internal: { type: 'boolean', description: 'Whether some are internal.' },
      }),
      { type: 'null' },
    ],
  },
  notifiedOperations: {
    type: 'array',
    items: { type: 'string', enum: notifiedOperations },
    description: 'The operations of which some rule notifies users.',
  },
  readCondition: {
    type: ['object', 'null'],
    additionalProperties: {},
    description:
      'The criteria that the records meet which the caller may read; null if these are not all that decides, or if the caller may not see all that they compare.',
  },
  validations: {
    type: 'array',
    items: objectOf({
      key: { type: 'string' },
      message: { type: 'string', description: 'The message for a record that does not match.' },
      field: { type: ['string', 'null'], description: 'The field that has the message.' },
      condition: {
        type: ['object', 'null'],
        description: 'Criteria that a written record must match; null if they read what is hidden.',
        additionalProperties: true,
      },
    }),
  },
  workflow: { anyOf: [published(entitySchema.properties.workflow), { type: 'null' }] },
  permissions: allRights,
  exportSettings,
} as const

/** What only administrators see. */
const forAdministrators = {
  notifications: {
    type: 'array',
    items: published(notificationRule),
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
      audit: { type: 'boolean', description: 'Whether the role reads the audit, of all entities.' },
      hiddenFields: names,
      readOnlyFields: names,
      conditions: {
        type: 'object',
        description: 'By right: criteria that the record must match.',
        additionalProperties: { type: 'object' },
      },
    }),
    description: 'The roles that have a permission on the entity; for administrators.',
  },
} as const

/** An entity as its caller may see it. */
export const entityDescription = component(
  'EntityDescription',
  objectOf(
    { ...described, ...forAdministrators },
    { required: Object.keys(described) as (keyof typeof described)[] },
  ),
)
export type EntityDescription = ValueOf<typeof entityDescription>
/** What a role may do with an entity. */
export type RoleRights = NonNullable<EntityDescription['roles']>[number]
/** What the service adds to the user record of the caller. */
export type MeProperties = ValueOf<typeof me>
