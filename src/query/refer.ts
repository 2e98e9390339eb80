/** Resolves the names of one query to columns: the only way from a name to a column. */
import type { Sql } from '../database/sql.ts'
import { findList, resolvePath, unknownList } from '../definitions/association-path.ts'
import type { Catalog, Column, Entity } from '../definitions/catalog.ts'
import { addIssue, type Issue, isFull } from '../issues.ts'
import { type Access, asShown } from './access.ts'
import type { ColumnRef, Join } from './select-plan.ts'
import { linkedScope, maySeeByPath } from './user-visibility.ts'

// PostgreSQL plans 100 joins in 13 ms and 1,000 in 830 ms; paths may be cyclic.
const maxJoins = 100

/** What the tables of a query are called: that of its entity, and those that its paths lead to. */
type Aliases = { readonly start: string; readonly linked: string }

const usual: Aliases = { start: 't', linked: 'j' }

/** The state of the planner of one query. */
export type Planning = {
  readonly catalog: Catalog
  readonly entity: Entity
  readonly access: Access
  readonly timeZone: string
  /** The joins of all paths, by path. */
  readonly joins: Map<string, Join>
  /** The associations that the whole query follows, also within `$some`, and how many of them have many records. */
  readonly followed: { count: number; lists: number }
  readonly issues: Issue[]
  readonly aliases?: Aliases
  /** The same for the user record of the caller, in conditions that name its fields. */
  readonly caller?: CallerPlanning
}

/** How the fields of the caller are read: the id is an expression. */
export type CallerPlanning = Planning & {
  readonly user: Sql
  /** Whether their values are selected in their places, because the statement does not join the record of the caller. */
  readonly isSelected: boolean
}

/** A column with the entity that has it. */
export type Referred = { readonly ref: ColumnRef; readonly entity: Entity }

/** The column at the end of a path; all paths share their joins. */
export const refer = (
  text: string,
  at: string,
  isDecisive: boolean,
  planning: Planning,
): ColumnRef | undefined => referWithEntity(text, at, isDecisive, planning)?.ref

/** The same, with the entity of the column. */
export const referWithEntity = (
  text: string,
  at: string,
  isDecisive: boolean,
  planning: Planning,
): Referred | undefined => {
  const { catalog, entity, access, joins, aliases = usual, issues } = planning
  if (isFull(issues)) return undefined
  // The scope covers the entity itself; only its fields may be hidden.
  const result = resolvePath(catalog, entity, text, maySeeByPath(access))
  if ('message' in result) {
    addIssue(issues, { path: at, message: result.message })
    return undefined
  }
  let alias = aliases.start
  let walked = ''
  const { steps, column } = result.path
  for (const step of steps) {
    walked = `${walked}.${step.name}`
    const target = catalog.entities.get(step.target ?? '')
    if (!target) throw new Error(`The catalog lacks ${step.target}.`)
    const readable = access.readScope(target)
    // What is seen beyond the scope of its record is joined apart from the rest of it.
    const isName =
      step === steps.at(-1) && readable !== 'all' && linkedScope(access, target, column) === 'all'
    if (isName) walked = `${walked}#`
    const existing = joins.get(walked)
    if (!existing && !mayFollowOneMore(planning, at)) return undefined
    const join: Join = {
      alias: existing?.alias ?? `${aliases.linked}${joins.size + 1}`,
      from: existing?.from ?? { alias, column: step },
      entity: target,
      scope: isName ? 'all' : readable,
      isName,
      isDecisive: isDecisive || existing?.isDecisive === true,
    }
    joins.set(walked, join)
    alias = join.alias
  }
  const { entity: owner } = result.path
  return { ref: { alias, column: asShown(access, owner, column) }, entity: owner }
}

const mayFollowOneMore = ({ followed, issues }: Planning, at: string): boolean => {
  if (followed.count >= maxJoins) {
    const message = `leads through more than ${maxJoins} associations in total; ask for fewer of them, or for fewer columns`
    addIssue(issues, { path: at, message })
    return false
  }
  followed.count += 1
  return true
}

/** The records of a one-to-many field, and how conditions on them are planned. */
type ReferredList = {
  /** The id of the record that has the field. */
  readonly owner: ColumnRef
  readonly link: Column
  readonly planning: Planning
  readonly alias: string
  /** Whether there are so many others that PostgreSQL must not plan it together with these. */
  readonly isApart: boolean
}

// Each is a join to the same column, and PostgreSQL compares all orders of them: 4 take 2 ms to plan, 50 take minutes.
const maxTogether = 4

/** The one-to-many field at the end of a path. */
export const referList = (
  text: string,
  at: string,
  planning: Planning,
): ReferredList | undefined => {
  const end = text.lastIndexOf('.')
  const owner = referWithEntity(`${text.slice(0, end + 1)}id`, at, true, planning)
  if (!owner) return undefined
  const { catalog, access, issues, followed, aliases = usual } = planning
  const name = text.slice(end + 1)
  const list = findList(catalog, owner.entity, name, access.maySee)
  if (!list) {
    const message = unknownList(catalog, owner.entity, name, access.maySee)
    addIssue(issues, { path: at, message })
    return undefined
  }
  if (!mayFollowOneMore(planning, at)) return undefined
  followed.lists += 1
  // It begins with the alias of the record, so that the condition of a role on records within has others.
  const alias = `${aliases.start}_s${followed.count}`
  return {
    owner: owner.ref,
    link: list.link,
    alias,
    isApart: followed.lists > maxTogether,
    planning: {
      ...planning,
      entity: list.target,
      joins: new Map(),
      aliases: { start: alias, linked: `${alias}j` },
    },
  }
}
