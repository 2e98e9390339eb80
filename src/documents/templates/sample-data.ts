/** Sample data in the shape that templates read, to check templates without a database. */

import { type Catalog, type Column, type Entity, getEntity } from '../../definitions/catalog.ts'
import { choicesOf } from '../../definitions/value-names.ts'
import { isRequired } from '../../definitions/values/field-defaults.ts'
import { exampleOf } from '../../http/openapi/example-value.ts'

// As deep as a document follows links (document-links.ts).
const maxDepth = 2

export type SampleData = {
  /** The text of one JSON object. */
  readonly json: string
  /** Names of all members at every depth. */
  readonly names: ReadonlySet<string>
  /** Whether a field holds JSON, whose members are unknown. */
  readonly isOpen: boolean
}

/** A text in place of the example of a field; undefined: the example. */
type TextOf = (entity: Entity, column: Column) => string | undefined

type Making = {
  readonly catalog: Catalog
  readonly names: Set<string>
  readonly textOf: TextOf
  isOpen: boolean
}

/** A complete record with its links; each list has one entry. */
export const makeSampleData = (
  catalog: Catalog,
  entity: Entity,
  textOf: TextOf = () => undefined,
): SampleData => {
  const making: Making = { catalog, names: new Set(), textOf, isOpen: false }
  const record = { ...withLinks(making, entity, maxDepth), ...listsOf(making, entity) }
  const labels = Object.fromEntries([...catalog.entities.values()].map(labelsOf))
  const choices = Object.fromEntries(
    [...catalog.entities.values()].map((one) => [one.key, choicesOf(one, () => true)]),
  )
  const data = {
    record,
    actor: valuesOf(making, getEntity(catalog, 'user')),
    entity: { key: entity.key, name: entity.name },
    generated_at: '2026-05-04T08:30:00.000Z',
    labels,
    choices,
  }
  for (const name of Object.keys(data)) making.names.add(name)
  return { json: JSON.stringify(data), names: making.names, isOpen: making.isOpen }
}

type Values = { readonly [name: string]: unknown }

const valuesOf = (making: Making, entity: Entity): Values =>
  Object.fromEntries(
    entity.columns.map((column) => {
      making.names.add(column.name)
      return [column.name, valueFor(making, entity, column)]
    }),
  )

const valueFor = (making: Making, entity: Entity, column: Column): unknown => {
  if (!column.type.isStructured)
    return making.textOf(entity, column) ?? exampleOf(entity, column) ?? null
  making.isOpen = true
  return isRequired(column) ? {} : null
}

const withLinks = (making: Making, entity: Entity, depth: number, leftOut?: string): Values => {
  const links = [...entity.associations].filter(([key]) => key !== leftOut)
  return {
    ...valuesOf(making, entity),
    ...(depth === 0 ? {} : Object.fromEntries(links.map((link) => linked(making, link, depth)))),
  }
}

const linked = (making: Making, [key, column]: [string, Column], depth: number) => {
  const name = key.replace(/^_/, '')
  making.names.add(name)
  return [name, withLinks(making, getEntity(making.catalog, column.target ?? ''), depth - 1)]
}

const listsOf = (making: Making, entity: Entity): Values =>
  Object.fromEntries(
    [...entity.oneToMany].map(([key, { entity: target, mappedBy }]) => {
      making.names.add(key)
      return [key, [withLinks(making, getEntity(making.catalog, target), maxDepth, mappedBy)]]
    }),
  )

const labelsOf = ({ key, definition }: Entity) => [
  key,
  Object.fromEntries(definition.fields.map((field) => [field.key, field.name ?? field.key])),
]
