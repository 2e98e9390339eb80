/** What people need of a record besides its name: its title, whom it is about, and how much. */
import type { Entity } from '../../api/types.ts'
import { columnsAt, defaultPaths, type Entities, type ListColumn } from '../list/columns.ts'

export type MainColumns = Readonly<Record<'title' | 'about' | 'amount', ListColumn | undefined>>

/** The first line of text, link and amount of a list of the entity. */
export const mainColumns = (entity: Entity, entities: Entities): MainColumns => {
  const columns = columnsAt(defaultPaths(entity, entities), entity, entities)
  const own = columns.filter(({ place, field }) => place.length === 1 && !field.isSystem)
  return {
    title: own.find(({ field }) => field.type === 'string' && field.key !== entity.displayField),
    about: columns.find(({ link }) => link !== undefined),
    amount: own.find(({ field }) => field.type === 'decimal'),
  }
}
