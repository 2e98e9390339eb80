/** The main facts of a record, the same wherever it is shown: in lists, cards, previews and queues. */
import type { Entity } from '../../api/types.ts'
import { kindOf } from '../format/field-kinds.ts'
import { columnsAt, type Entities, type ListColumn } from './columns.ts'

/** What a list shows in any case. */
const mainFacts = ['name', 'step', 'about', 'amount', 'date', 'title'] as const

export type MainColumns = Readonly<Record<(typeof mainFacts)[number], ListColumn | undefined>>

const maxInitialColumns = 12

/**
 * What a list shows before anybody chose: what names a record, then the columns of its exports in their order. Of many
 * columns the main facts and the first others are shown.
 */
export const defaultPaths = (entity: Entity, entities: Entities): readonly string[] => {
  const columns = candidatesOf(entity, entities)
  const main = mainAmong(columns, entity, entities)
  const needed = mainFacts.flatMap((fact) => main[fact] ?? [])
  const shown = new Set([...new Set([...needed, ...columns])].slice(0, maxInitialColumns))
  return columns.filter((column) => shown.has(column)).map(({ path }) => path)
}

export const mainColumns = (entity: Entity, entities: Entities): MainColumns =>
  mainAmong(candidatesOf(entity, entities), entity, entities)

/** What a line about a record says besides its name: its title, whom it is about, and how much. */
export const factColumns = (entity: Entity, entities: Entities): readonly ListColumn[] => {
  const { title, about, amount } = mainColumns(entity, entities)
  return [title, about, amount].flatMap((column) => column ?? [])
}

const candidatesOf = (entity: Entity, entities: Entities): readonly ListColumn[] => {
  const exported = entity.exportSettings.columnDefs.map(({ field }) => field)
  const columns = columnsAt([...new Set([entity.displayField, ...exported])], entity, entities)
  const shown = new Set([entity.displayField, '_step'])
  return columns.filter(
    ({ path, field }) => !kindOf(field).isLong && (!field.isSystem || shown.has(path)),
  )
}

/** The first column of each kind. */
const mainAmong = (
  columns: readonly ListColumn[],
  { key, displayField }: Entity,
  entities: Entities,
): MainColumns => {
  const own = columns.filter(
    ({ path, place, field }) => place.length === 1 && !field.isSystem && path !== displayField,
  )
  const amounts = own.filter(({ field }) => kindOf(field).hasDecimals)
  const added = pathsAddedUp(key, entities)
  return {
    name: columns.find(({ path }) => path === displayField),
    step: columns.find(({ path }) => path === '_step'),
    about: columns.find(({ link }) => link !== undefined),
    amount:
      amounts.find(({ path }) => added.has(path)) ??
      amountAmong(amounts) ??
      amounts.find(({ field }) => field.isCalculated) ??
      amounts[0],
    date: own.find(({ field }) => kindOf(field).time),
    // A code is no title.
    title: own.find(({ field }) => kindOf(field).isTitle && !field.unique && !field.pattern),
  }
}

/** The fields of an entity that the records above it add up. */
const pathsAddedUp = (key: string, entities: Entities): ReadonlySet<string> =>
  new Set(
    [...entities.values()].flatMap(({ fields }) =>
      fields.flatMap(({ rollup }) => {
        const [list, path = ''] = rollup?.sum?.split('.') ?? []
        return fields.some((field) => field.key === list && field.entity === key) ? path : []
      }),
    ),
  )

/** A decimal with a unit is no share of something else; quantities and rates have more decimals than what they come to. */
const amountAmong = (decimals: readonly ListColumn[]): ListColumn | undefined => {
  const measured = decimals.filter(({ field: { unit } }) => unit !== undefined && unit !== '%')
  const fewest = Math.min(...measured.map(({ field }) => field.scale ?? 0))
  return measured.find(({ field }) => (field.scale ?? 0) === fewest)
}
