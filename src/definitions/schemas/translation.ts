/**
 * The shape of `translations/<language>.json`: the texts of the definitions in another language, by the keys that the
 * definitions have (docs/translations.md).
 */
import type { Static } from 'typebox'
import { closed, Type } from './schema-builder.ts'

const label = (maxLength = 200) => Type.String({ minLength: 1, maxLength })

const described = {
  name: Type.Optional(label()),
  description: Type.Optional(Type.String({ minLength: 1, maxLength: 2000 })),
}

const message = () => Type.Optional(label(500))

const field = Type.Object(
  {
    ...described,
    message: message(),
    unit: Type.Optional(label(20)),
    values: Type.Optional(
      Type.Record(Type.String(), label(100), { description: 'Of an enum: names by value.' }),
    ),
  },
  closed,
)

const role = Type.Object(
  {
    ...described,
    messages: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Object({ create: message(), update: message(), delete: message() }, closed),
        { description: 'Messages of conditions, by entity key and permission.' },
      ),
    ),
  },
  closed,
)

const entity = Type.Object(
  {
    ...described,
    pluralName: Type.Optional(label()),
    fields: Type.Optional(Type.Record(Type.String(), field, { description: 'By field key.' })),
    validations: Type.Optional(
      Type.Record(Type.String(), label(500), { description: 'Messages of validations by key.' }),
    ),
    steps: Type.Optional(
      Type.Record(Type.String(), label(), { description: 'Names of steps by key.' }),
    ),
    actions: Type.Optional(
      Type.Record(Type.String(), label(), {
        description: 'Names of workflow actions by key, whichever step has them.',
      }),
    ),
    actionMessages: Type.Optional(
      Type.Record(Type.String(), Type.Record(Type.String(), label(500)), {
        description: 'Messages of actions, by key of the step and of the action.',
      }),
    ),
    imports: Type.Optional(
      Type.Record(Type.String(), label(), { description: 'Names of imports by key.' }),
    ),
    columns: Type.Optional(
      Type.Record(Type.String(), label(), {
        description: 'Headers of the export by `headerName`, for exports with names.',
      }),
    ),
  },
  closed,
)

export const translationSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    name: Type.Optional(label()),
    entities: Type.Optional(Type.Record(Type.String(), entity, { description: 'By entity key.' })),
    menu: Type.Optional(
      Type.Record(Type.String(), label(), {
        description: 'Titles of the groups of the menu, by key of the group.',
      }),
    ),
    systemFields: Type.Optional(
      Type.Record(Type.String(), label(), {
        description: 'Names of the fields that the service keeps in every record, by key.',
      }),
    ),
    roles: Type.Optional(Type.Record(Type.String(), role, { description: 'By role key.' })),
  },
  closed,
)

export type Translation = Static<typeof translationSchema>
export type EntityTranslation = Static<typeof entity>
export type FieldTranslation = Static<typeof field>
export type RoleTranslation = Static<typeof role>
