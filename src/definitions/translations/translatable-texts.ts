/** Which texts of the definitions a translation may have: a tree with the keys of `translations/<language>.json`. */
import { type Catalog, type Entity, systemNames } from '../catalog.ts'
import type { FieldDefinition } from '../field-types.ts'
import type { WorkflowDefinition } from '../schemas/entity-definition.ts'
import type { ProjectSettings, RoleDefinition } from '../schemas/role-definition.ts'
import { pathLabel } from '../value-names.ts'
import { isWord } from '../values/rules/key-names.ts'

/** A text that people read. */
type Text = {
  /** Whether a translation without it is incomplete; a unit, such as `kg`, need not have another name. */
  readonly isExpected: boolean
}

export type TextTree = { readonly texts: ReadonlyMap<string, TextTree | Text> }

/** What a key leads to, or nothing. */
type Part = readonly [key: string, found: TextTree | Text | undefined]

export const isTree = (found: TextTree | Text): found is TextTree => 'texts' in found

const tree = (parts: Iterable<Part>): TextTree => ({
  texts: new Map([...parts].flatMap(([key, found]) => (found ? [[key, found] as const] : []))),
})

const expected: Text = { isExpected: true }
const optional: Text = { isExpected: false }

const given = (text: string | undefined): Text | undefined =>
  text === undefined ? undefined : expected

const treeOf = <T>(all: Iterable<T>, partOf: (one: T) => Part): TextTree | undefined => {
  const found = tree([...all].map(partOf))
  return found.texts.size === 0 ? undefined : found
}

export const translatableTexts = (catalog: Catalog, { name, menu }: ProjectSettings): TextTree =>
  tree([
    ['name', given(name)],
    ['menu', treeOf(menu?.groups ?? [], ({ key, name }) => [key, given(name)])],
    [
      'entities',
      treeOf(catalog.entities.values(), (entity) => [entity.key, entityTexts(catalog, entity)]),
    ],
    ['systemFields', treeOf(systemNames.keys(), (key) => [key, expected])],
    ['roles', treeOf(catalog.roles.values(), (role) => [role.key, roleTexts(role)])],
  ])

const roleTexts = ({ description, permissions }: RoleDefinition): TextTree =>
  tree([
    ['name', expected],
    ['description', given(description)],
    [
      'messages',
      treeOf(Object.entries(permissions), ([key, { messages = {} }]) => [
        key,
        treeOf(Object.entries(messages), ([right]) => [right, expected]),
      ]),
    ],
  ])

const entityTexts = (catalog: Catalog, entity: Entity): TextTree => {
  const { pluralName, description, fields, validations = [], workflow } = entity.definition
  const { imports = [] } = entity.definition
  const steps = workflow?.steps ?? []
  const actions = steps.flatMap((step) => step.actions ?? [])
  return tree([
    // Without a name, people see the key.
    ['name', expected],
    ['pluralName', pluralName === undefined ? optional : expected],
    ['description', given(description)],
    ['fields', treeOf(fields, (field) => [field.key, fieldTexts(field)])],
    ['validations', treeOf(validations, ({ key }) => [key, expected])],
    ['steps', treeOf(steps, ({ key }) => [key, expected])],
    ['actions', treeOf(actions, ({ key }) => [key, expected])],
    ['actionMessages', treeOf(steps, (step) => [step.key, messagesOf(step)])],
    [
      'imports',
      treeOf(imports, ({ key, name }) => [key, name === undefined ? optional : expected]),
    ],
    ['columns', treeOf(ownHeaders(catalog, entity), (header) => [header, expected])],
  ])
}

const messagesOf = ({ actions = [] }: WorkflowDefinition['steps'][number]): TextTree | undefined =>
  treeOf(actions, ({ key, message }) => [key, given(message)])

/** The headers of the export that say something else than the names of their fields, which have translations. */
export const ownHeaders = (catalog: Catalog, entity: Entity): readonly string[] => {
  const { columnDefs = [] } = entity.definition.exportSettings ?? {}
  return columnDefs.flatMap(({ headerName, field }) =>
    headerName === undefined || headerName === pathLabel(catalog, entity, field)
      ? []
      : [headerName],
  )
}

const fieldTexts = (field: FieldDefinition): TextTree => {
  const unit = 'unit' in field && typeof field.unit === 'string' ? optional : undefined
  return tree([
    ['name', expected],
    ['description', given(field.description)],
    ['message', given('message' in field ? field.message : undefined)],
    ['unit', unit],
    ['values', field.type === 'enum' ? choiceTexts(field) : undefined],
  ])
}

const choiceTexts = ({
  values,
  valueNames = {},
}: {
  readonly values: readonly string[]
  readonly valueNames?: Readonly<Record<string, string>>
}): TextTree =>
  tree(
    values.map((value) => [
      value,
      Object.hasOwn(valueNames, value) || isWord(value) ? expected : optional,
    ]),
  )
