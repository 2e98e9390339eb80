/** The shape of a security role, `roles/<key>.json`, and of `docket.json` (docs/roles.md). */
import type { Static } from 'typebox'
import { message } from '../field-types/schema-parts.ts'
import {
  csvDialects,
  csvEncodings,
  dateForms,
  decimalMarks,
  namesOf,
  quotings,
  separators,
} from '../values/rules/csv-dialects.ts'
import { closed, Type } from './schema-builder.ts'

const onRecords = Type.Union([Type.Boolean(), Type.Literal('own')], {
  description: 'true: every record; "own": those that the caller created or owns.',
})

/** Permissions of writing that may have a condition on the record; that of reading limits every other permission too. */
export const conditionalRights = ['create', 'update', 'delete'] as const
export type ConditionalRight = (typeof conditionalRights)[number]

const recordCondition = (when: string) =>
  Type.Optional(
    Type.Object(
      {},
      {
        description: `Criteria that the record must match ${when}; a value may be one of the caller: { "$caller": "id" }.`,
      },
    ),
  )

const conditions = Type.Object(
  {
    read: recordCondition('to be read, and for anything else that is done with it'),
    create: recordCondition('when it is created'),
    update: recordCondition('before and after the change'),
    delete: recordCondition('to be removed or restored'),
  } satisfies Record<ConditionalRight | 'read', unknown>,
  { ...closed, description: 'Conditions of these permissions, in addition to "own".' },
)

const messages = Type.Object(
  {
    create: message('when the condition of `create` does not hold'),
    update: message('when the condition of `update` does not hold'),
    delete: message('when the condition of `delete` does not hold'),
  } satisfies Record<ConditionalRight, unknown>,
  { ...closed, description: 'What people are told when a condition does not hold.' },
)

const permission = Type.Object(
  {
    create: Type.Optional(Type.Boolean()),
    import: Type.Optional(
      Type.Union([Type.Boolean(), Type.Literal('history')], {
        description:
          'Whether files are imported into records that the role may create or change; "history": with ids, steps, numbers of series, and who created a record and when.',
      }),
    ),
    read: Type.Optional(onRecords),
    update: Type.Optional(onRecords),
    delete: Type.Optional(onRecords),
    export: Type.Optional(onRecords),
    tasks: Type.Optional(onRecords),
    comments: Type.Optional(onRecords),
    internalComments: Type.Optional(
      Type.Boolean({
        description: 'Whether the role reads internal comments, and with `comments` writes them.',
      }),
    ),
    takeOwnership: Type.Optional(onRecords),
    anonymise: Type.Optional(onRecords),
    purge: Type.Optional(onRecords),
    actions: Type.Optional(
      Type.Array(Type.String(), { description: 'Workflow actions that the role may run.' }),
    ),
    conditions: Type.Optional(conditions),
    messages: Type.Optional(messages),
    hiddenFields: Type.Optional(
      Type.Array(Type.String(), { description: 'Fields that the role never sees nor sets.' }),
    ),
    readOnlyFields: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Fields that the role sees and may not write, except in the form of an action.',
      }),
    ),
  },
  closed,
)

export const roleSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    key: Type.String({ pattern: '^[a-z][a-z0-9_]*$', maxLength: 63 }),
    name: Type.Optional(Type.String({ minLength: 1 })),
    description: Type.Optional(Type.String()),
    audit: Type.Optional(
      Type.Boolean({
        description:
          'Whether the role reads the audit: who did what to which record of any entity, and when.',
      }),
    ),
    permissions: Type.Record(Type.String(), permission, {
      description:
        'By entity key; "*" applies to entities without an entry of their own, for native ones only to reading.',
    }),
  },
  closed,
)

const menuGroup = Type.Object(
  {
    key: Type.String({ pattern: '^[a-z][a-z0-9_]*$', maxLength: 63 }),
    name: Type.Optional(
      Type.String({ minLength: 1, description: 'Title of the group; without one it has none.' }),
    ),
    entities: Type.Array(Type.String(), {
      minItems: 1,
      description: 'Keys of entities, in their order.',
    }),
  },
  closed,
)

const menu = Type.Object(
  {
    groups: Type.Optional(
      Type.Array(menuGroup, { description: 'The first entities of the navigation, in groups.' }),
    ),
    hidden: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Keys of entities that the navigation leaves out; the search finds them.',
      }),
    ),
  },
  { ...closed, description: 'Order, groups and hidden entities of the navigation.' },
)

const signInWay = Type.Enum(['password', 'passkey', 'code'])

const signIn = Type.Object(
  {
    ways: Type.Optional(
      Type.Array(signInWay, {
        uniqueItems: true,
        description:
          'How people sign in besides AUTH_ISSUER: "password", "passkey", and "code", which is sent by e-mail; [] for none. Without it, and without an issuer, by password and passkey. SIGN_IN overrides it.',
      }),
    ),
    secondFactorFor: Type.Optional(
      Type.Array(Type.String(), {
        uniqueItems: true,
        description:
          'Keys of roles whose users need a second factor when they sign in by password or code; a passkey is one.',
      }),
    ),
  },
  { ...closed, description: 'How people sign in to the console.' },
)

const csv = Type.Object(
  {
    dialect: Type.Optional(
      Type.Enum(namesOf(csvDialects), {
        description: 'A named dialect, such as "excel-de"; the other keys differ from it.',
      }),
    ),
    separator: Type.Optional(Type.Enum(namesOf(separators))),
    decimal: Type.Optional(
      Type.Enum(namesOf(decimalMarks), {
        description: 'Before the fraction of decimals; a comma is usual with semicolons.',
      }),
    ),
    dates: Type.Optional(
      Type.Enum([...dateForms], {
        description:
          'How days are written; but for "iso", times are local, and headers name the time zone.',
      }),
    ),
    encoding: Type.Optional(Type.Enum(namesOf(csvEncodings))),
    bom: Type.Optional(
      Type.Boolean({ description: 'Whether UTF-8 begins with a byte order mark.' }),
    ),
    quoting: Type.Optional(
      Type.Enum([...quotings], { description: 'Whether all fields with a value are quoted.' }),
    ),
  },
  { ...closed, description: 'How exports write CSV, where a request says nothing else.' },
)

export const projectSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    name: Type.Optional(Type.String({ minLength: 1, description: 'Name of the project.' })),
    locale: Type.Optional(Type.String({ description: 'BCP 47 language tag, such as "de-AT".' })),
    language: Type.Optional(
      Type.String({
        description:
          'Language that the definitions are written in, as a BCP 47 tag; by default that of `locale`, else English.',
      }),
    ),
    timeZone: Type.Optional(
      Type.String({ description: 'IANA time zone, such as "Europe/Zagreb".' }),
    ),
    firstDayOfWeek: Type.Optional(
      Type.Enum(['monday', 'saturday', 'sunday'], {
        description:
          'The day with which weeks begin: those of calendars, by default that of the region of each user, and those of criteria, by default Monday.',
      }),
    ),
    menu: Type.Optional(menu),
    csv: Type.Optional(csv),
    signIn: Type.Optional(signIn),
  },
  closed,
)

export type Permission = Static<typeof permission>
export type RoleDefinition = Static<typeof roleSchema>
export type SignInWay = Static<typeof signInWay>
export type ProjectSettings = Static<typeof projectSchema>
