/**
 * Records in the data of templates: a linked record has fields, and prints by itself as its display field,
 * or else as its entity's name and its id. An object inside of JSON prints as JSON. Choices and steps have their names at the same
 * places: `names.urgency` for `record.urgency`. The action of a change has its name and those of its steps.
 */
import { type Catalog, type Entity, namedEntity } from '../../definitions/catalog.ts'
import type { TakenAction } from '../../definitions/notification-rules.ts'
import { hasValueNames, valueNamesOf } from '../../definitions/value-names.ts'
import { isObject } from '../../definitions/values/check-value.ts'
import type { FunctionAction } from '../../functions/function-context.ts'

type Fields = Readonly<Record<string, unknown>>

// A display field may be an association with a display field of its own; the depth is limited.
const maxSteps = 5

/** The path of the display name of an association's record; undefined if it has none. */
export const displayPath = (
  catalog: Catalog,
  entity: Entity,
  key: string,
  steps = maxSteps,
): string | undefined => {
  const target = catalog.entities.get(entity.associations.get(key)?.target ?? '')
  const display = target?.definition.displayField
  if (!target || display === undefined || steps === 0) return undefined
  if (!target.associations.has(display)) return `${key}.${display}`
  const further = displayPath(catalog, target, display, steps - 1)
  return further === undefined ? `${key}.${display}` : `${key}.${further}`
}

/** The record with printable links and JSON; `fields` are its fields by name, links as objects or ids. */
export const printableRecord = (catalog: Catalog, entity: Entity, fields: object): Fields => {
  const values = fields as Fields
  for (const { name, type } of entity.columns) if (type.isStructured) makePrintable(values[name])
  const links = [...entity.associations].flatMap(([key, column]) => {
    const target = catalog.entities.get(column.target ?? '')
    const link = printableLink(catalog, target, values[key], values[column.name])
    return link === undefined ? [] : [[key, link] as const]
  })
  return links.length === 0 ? values : { ...values, ...Object.fromEntries(links) }
}

// JSON has any names, such as `toString`, but no symbols.
const printedAsJson = {
  [Symbol.toPrimitive](this: object) {
    return JSON.stringify(this)
  },
}

/** Changes the objects inside of a value of JSON, in a loop: tables may have values that are nested deeper than the stack. */
const makePrintable = (value: unknown): void => {
  const open = [value]
  while (open.length > 0) {
    const one = open.pop()
    if (typeof one !== 'object' || one === null) continue
    if (!Array.isArray(one)) Object.setPrototypeOf(one, printedAsJson)
    for (const inner of Object.values(one)) open.push(inner)
  }
}

/** Null without a link, undefined if it was not read. */
const printableLink = (
  catalog: Catalog,
  target: Entity | undefined,
  link: unknown,
  id: unknown,
): object | null | undefined => {
  if (id === null) return null
  // An id alone, for a record without a name.
  const own = isObject(link) ? (id ?? idOf(link)) : (link ?? id)
  if (!target || ((own === null || own === undefined) && !isObject(link))) return undefined
  const inner = isObject(link) ? printableRecord(catalog, target, link) : {}
  const name = inner[target.definition.displayField ?? '']
  const called = namedEntity(catalog, target).name
  const text = String(name ?? (own === undefined ? called : `${called} ${own}`))
  const printed = { toString: () => text }
  // In JSON, for a template at a provider, a link without fields is its text.
  const isBare = Object.keys(inner).length === 0
  return Object.assign(Object.create(isBare ? { ...printed, toJSON: () => text } : printed), inner)
}

const idKey = Symbol('id')

/** A link whose fields are added later; it stores its id. */
export const linkOf = (id: unknown): Record<string, unknown> => Object.create({ [idKey]: id })

const idOf = (link: object): unknown => (link as { readonly [idKey]?: unknown })[idKey]

/** The names of choices and steps at the places of their values in the record and its links, as far as `fields` has them. */
export const choiceNamesOf = (catalog: Catalog, entity: Entity, fields: object): Fields => {
  const values = fields as Fields
  const named = namedEntity(catalog, entity)
  const own = named.columns.filter(hasValueNames).flatMap((column) => {
    const value = values[column.name]
    if (typeof value !== 'string') return []
    return [[column.name, valueNamesOf(named, column).get(value) ?? value] as const]
  })
  const linked = [...entity.associations].flatMap(([key, column]) => {
    const target = catalog.entities.get(column.target ?? '')
    const link = values[key]
    if (!target || typeof link !== 'object' || link === null) return []
    return [[key, choiceNamesOf(catalog, target, link)] as const]
  })
  return Object.fromEntries([...own, ...linked])
}

/** The action of a change, with its name and the names of its steps; undefined if there was none. */
export const describeAction = (
  entity: Entity,
  { action }: { readonly action?: TakenAction | null | undefined },
): FunctionAction | undefined => {
  if (!action) return undefined
  const steps = entity.definition.workflow?.steps ?? []
  const nameOf = (key: string) => steps.find((step) => step.key === key)?.name ?? key
  const taken = steps
    .find((step) => step.key === action.from)
    ?.actions?.find(({ key }) => key === action.key)
  return {
    ...action,
    name: taken?.name ?? action.key,
    from_name: nameOf(action.from),
    to_name: nameOf(action.to),
  }
}
