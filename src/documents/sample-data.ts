/** Sample data of a template: a complete record as its reader sees it, and one whose texts are as long as they may be. */

import { listColumn } from '../definitions/association-path.ts'
import {
  type Catalog,
  type Column,
  type Entity,
  getEntity,
  languageOf,
} from '../definitions/catalog.ts'
import { isFileColumn } from '../definitions/files.ts'
import { choicesOf } from '../definitions/value-names.ts'
import { isRequired } from '../definitions/values/field-defaults.ts'
import { labelOf } from '../definitions/values/rules/key-names.ts'
import { answeredExampleOf, exampleOf } from '../http/openapi/example-value.ts'
import { type Access, fullAccess } from '../query/access.ts'
import { accessToSelf, linkedScope, mayInclude } from '../query/user-visibility.ts'
import { markOf } from './typst/engine.ts'

// As deep as a document follows links.
const maxDepth = 2

export type SampleData = {
  /** The text of one JSON object. */
  readonly json: string
  /** Names of all members at every depth. */
  readonly names: ReadonlySet<string>
  /** Whether a field holds JSON, whose members are unknown. */
  readonly isOpen: boolean
}

type Options = {
  /** A text in place of the example of a field; undefined: the example. */
  readonly textOf?: (entity: Entity, column: Column) => string | undefined
  /** What its reader may see, without conditions on records; by default everything. */
  readonly access?: Access
}

type Making = Required<Options> & {
  readonly catalog: Catalog
  readonly names: Set<string>
  isOpen: boolean
}

/** A complete record with its links; each list has one entry. */
export const makeSampleData = (
  catalog: Catalog,
  entity: Entity,
  { textOf = () => undefined, access = fullAccess }: Options = {},
): SampleData => {
  const making: Making = { catalog, names: new Set(), textOf, access, isOpen: false }
  const record = { ...withLinks(making, entity, maxDepth), ...listsOf(making, entity) }
  const entities = [...catalog.entities.values()]
  const labels = Object.fromEntries(entities.map((one) => labelsOf(making, one)))
  const named = entities.filter((one) => one === entity || access.readScope(one) !== 'none')
  const choices = Object.fromEntries(
    named.map((one) => [one.key, choicesOf(one, (column) => access.maySee(one, column))]),
  )
  const data = {
    record,
    actor: valuesOf({ ...making, access: accessToSelf(access) }, getEntity(catalog, 'user')),
    entity: { key: entity.key, name: entity.name },
    generated_at: '2026-05-04T08:30:00.000Z',
    language: languageOf(catalog.locale),
    labels,
    choices,
  }
  for (const name of Object.keys(data)) making.names.add(name)
  return { json: JSON.stringify(data), names: making.names, isOpen: making.isOpen }
}

type Values = { readonly [name: string]: unknown }

const valuesOf = (making: Making, entity: Entity): Values => {
  const seen = entity.columns.filter(
    (column) => linkedScope(making.access, entity, column) !== 'none',
  )
  return Object.fromEntries(
    seen.map((column) => {
      making.names.add(column.name)
      return [column.name, valueFor(making, entity, column)]
    }),
  )
}

const valueFor = (making: Making, entity: Entity, column: Column): unknown => {
  if (isFileColumn(column)) return answeredExampleOf(entity, column)
  if (!column.type.isStructured)
    return making.textOf(entity, column) ?? exampleOf(entity, column) ?? null
  making.isOpen = true
  return isRequired(column) ? {} : null
}

const withLinks = (making: Making, entity: Entity, depth: number, leftOut?: string): Values => {
  const links = [...entity.associations].filter(
    ([key, column]) => key !== leftOut && making.access.maySee(entity, column),
  )
  return {
    ...valuesOf(making, entity),
    ...(depth === 0 ? {} : Object.fromEntries(links.map((link) => linked(making, link, depth)))),
  }
}

const linked = (making: Making, [key, column]: [string, Column], depth: number) => {
  const name = key.replace(/^_/, '')
  making.names.add(name)
  const target = getEntity(making.catalog, column.target ?? '')
  return [name, mayInclude(making.access, target) ? withLinks(making, target, depth - 1) : null]
}

const listsOf = (making: Making, entity: Entity): Values => {
  const { catalog, access } = making
  const seen = [...entity.oneToMany].filter(([, field]) => access.maySee(entity, listColumn(field)))
  return Object.fromEntries(
    seen.map(([key, { entity: target, mappedBy }]) => {
      making.names.add(key)
      const entries = getEntity(catalog, target)
      const isReadable = access.readScope(entries) !== 'none'
      return [key, isReadable ? [withLinks(making, entries, maxDepth, mappedBy)] : null]
    }),
  )
}

const labelsOf = ({ access }: Making, entity: Entity) => {
  const columns = [...entity.columns, ...[...entity.oneToMany.values()].map(listColumn)]
  const hidden = new Set(
    columns.filter((column) => !access.maySee(entity, column)).map(({ field }) => field.key),
  )
  const fields = entity.definition.fields.filter(({ key }) => !hidden.has(key))
  return [entity.key, Object.fromEntries(fields.map((field) => [field.key, labelOf(field)]))]
}

// More than a page has, however small its letters are.
const lines = Array.from({ length: 200 }, (_, index) => `${index + 1}. This text goes on and on.`)
const pages = lines.join('\n')

/** As long as a name or a title is at most, unless its field says otherwise. */
const longestLine = 250

/** Sample data whose texts are as long as their fields allow; each ends with a mark of its field. */
export const makeLongData = (catalog: Catalog, entity: Entity) => {
  const fields = new Map<string, string>()
  const longText = (owner: Entity, column: Column): string | undefined => {
    const { field, type, name, isSystem } = column
    const most = type.maxLength ?? 0
    const mark = markOf(fields.size)
    // What has a form, such as a number, is never long.
    const isFree = (field.type === 'string' || field.type === 'text') && !type.formRule && !isSystem
    if (!isFree || most <= mark.length || fields.size > 999) return undefined
    const path = `${owner.key}.${name}`
    const known = [...fields].find(([, one]) => one === path)?.[0] ?? mark
    fields.set(known, path)
    const room = Math.min(most, field.type === 'text' ? pages.length : longestLine) - mark.length
    const text = field.type === 'text' ? pages : lines.slice(0, 10).join(' ')
    return `${text.slice(0, room - 1)} ${known}`
  }
  const { json } = makeSampleData(catalog, entity, { textOf: longText })
  return { json, fields }
}
