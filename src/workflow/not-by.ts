/** Whom an action leaves out by `notBy`: users to whom the record links, and those who took another action of it in its present round. */
import { allOf, anyOf, join, ref, type Sql, sql, text, texts } from '../database/sql.ts'
import type { Column, Entity } from '../definitions/catalog.ts'
import { getWorkflow, namesOfStep } from './workflow.ts'

/** The link to a user of a name in `notBy`; undefined: the name is that of an action. */
export const linkOfNotBy = ({ associations }: Entity, name: string): Column | undefined => {
  const column = associations.get(name)
  return column?.target === 'user' ? column : undefined
}

/** Whether a name of `notBy` leaves out none of the users of these ids, for the record `t`. */
export const isNotBy = (entity: Entity, name: string, users: readonly Sql[]): Sql => {
  const link = linkOfNotBy(entity, name)
  const ids = join(users, ', ')
  if (link) return sql`(${ref(link.name, 't')} IN (${ids})) IS NOT TRUE`
  const { steps } = getWorkflow(entity)
  const rounds = steps
    .filter(({ actions = [] }) => actions.some(({ key }) => key === name))
    .map(({ key }) => inPresentRound(entity, texts(namesOfStep(getWorkflow(entity), key))))
  return sql`NOT EXISTS (
    SELECT FROM docket.history h
    WHERE ${isActionOf(entity, 'h')} AND h.action->>'key' = ${text(name)}
      AND (h.user_id IN (${ids}) OR h.acting_user_id IN (${ids})) AND ${anyOf(rounds)}
  )`
}

const isActionOf = ({ key }: Entity, alias: string): Sql => {
  const [entityKey, id, operation] = ['entity_key', 'entity_id', 'operation'].map((name) =>
    ref(name, alias),
  ) as [Sql, Sql, Sql]
  return allOf([
    sql`${entityKey} = ${text(key)}`,
    sql`${id} = t.id`,
    sql`${operation} = 'proceedToStep'`,
  ])
}

/** Whether the action `h` was taken in a step that the record has not entered again since: by the order of the history, not by time. */
const inPresentRound = (entity: Entity, step: Sql): Sql => sql`(
  h.action->>'from' = ANY (${step})
  AND NOT EXISTS (
    SELECT FROM docket.history e
    WHERE ${isActionOf(entity, 'e')} AND e.id > h.id
      AND e.action->>'to' = ANY (${step}) AND NOT e.action->>'from' = ANY (${step})
  )
)`
