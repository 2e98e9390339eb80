/** Resolves the names of one query to columns: the only way from a name to a column. */
import { resolvePath } from '../definitions/association-path.ts'
import type { Catalog, Entity } from '../definitions/catalog.ts'
import { addIssue, type Issue, isFull } from '../issues.ts'
import type { Access } from './access.ts'
import type { ColumnRef, Join } from './select-plan.ts'

// PostgreSQL plans 100 joins in 13 ms and 1,000 in 830 ms; paths may be cyclic.
const maxJoins = 100

/** The state of the planner of one query. */
export type Planning = {
  readonly catalog: Catalog
  readonly entity: Entity
  readonly access: Access
  readonly timeZone: string
  /** The joins of all paths, by path. */
  readonly joins: Map<string, Join>
  readonly issues: Issue[]
  /** Values of the caller by path, for conditions that name them. */
  readonly callerValues?: ReadonlyMap<string, unknown>
}

/** The column at the end of a path; all paths share their joins. */
export const refer = (
  text: string,
  at: string,
  isDecisive: boolean,
  planning: Planning,
): ColumnRef | undefined => {
  const { catalog, entity, access, joins, issues } = planning
  if (isFull(issues)) return undefined
  const result = resolvePath(catalog, entity, text, (owner, column) =>
    // The scope covers the entity itself; only its fields may be hidden.
    access.maySee(owner, column),
  )
  if ('message' in result) {
    addIssue(issues, { path: at, message: result.message })
    return undefined
  }
  let alias = 't'
  let walked = ''
  for (const step of result.path.steps) {
    walked = `${walked}.${step.name}`
    const target = catalog.entities.get(step.target ?? '')
    if (!target) throw new Error(`The catalog lacks ${step.target}.`)
    const known = joins.get(walked)
    if (!known && joins.size === maxJoins) {
      const message = `leads through more than ${maxJoins} associations in total`
      addIssue(issues, { path: at, message })
      return undefined
    }
    const join: Join = {
      alias: known?.alias ?? `j${joins.size + 1}`,
      from: known?.from ?? { alias, column: step },
      entity: target,
      scope: access.readScope(target),
      isDecisive: isDecisive || known?.isDecisive === true,
    }
    joins.set(walked, join)
    alias = join.alias
  }
  return { alias, column: result.path.column }
}
