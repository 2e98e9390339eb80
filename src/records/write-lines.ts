/**
 * Writes a record with its lines, in one transaction: what all of them need is locked at first, in the one order of all writes
 * (write/lock-record.ts). Then the record is written, and each line by the code of a write of that line alone: removals first,
 * so that their unique values are free. One line that is refused refuses everything, and all of them are named.
 */
import { type Connection, queryShaped } from '../database/pool.ts'
import { int, ints, notDeleted, ref, sql, table } from '../database/sql.ts'
import type { Entity } from '../definitions/catalog.ts'
import { addIssue, isFull } from '../issues.ts'
import { compileScope } from '../query/compile-scope.ts'
import { at, type LinesOfBody, type LinesOfList } from './lines-of-body.ts'
import type { WrittenWith } from './write/change-record.ts'
import { findInvalid } from './write/conditions.ts'
import { lockTogether } from './write/lock-record.ts'
import { addWholes } from './write/roll-up.ts'
import type { Wholes, WriteContext } from './write/write-context.ts'
import { readsCalculated } from './write/write-needs.ts'
import { recordError } from './write/write-rejected.ts'
import {
  lockCounters,
  type Many,
  type ManyWrite,
  partsOf,
  Refusals,
  rollUpAll,
  withAskedThrough,
  writeEach,
} from './write-many.ts'

type Lines = Pick<LinesOfBody, 'lists' | 'issues'>

/** The lines of a body on the connection of a transaction; `onWritten` is called with each of their records. */
export const linesOn =
  (deps: ManyWrite['deps'], { lists, issues }: Lines, onWritten: ManyWrite['onWritten']) =>
  (connection: Connection): WrittenWith => {
    let lockedAhead: ReadonlySet<number>[] = []
    let isLater = false
    return {
      hasIssues: issues.length > 0,
      findIssues: async () => {
        const found = [...issues]
        for (const { contexts, lines } of lists)
          for (const { operation, values, ...line } of lines) {
            if (operation !== 'create' || isFull(found)) continue
            const checked = { values, issues: line.issues }
            for (const one of await findInvalid(connection, contexts.create, checked))
              addIssue(found, { ...one, path: at(line, one.path) })
          }
        return found
      },
      lock: async (context, needs, ids) => {
        const own = { context, needs: withAskedThrough(needs, lists), ids }
        const parts = issues.length > 0 ? [] : lists.map((one) => partsOf(linesOf(one, ids)))
        isLater = !parts.flat().some((part) => readsCalculated(part.context, part.needs))
        // Of many records, all is locked before the first of them is written.
        if (context.lockedAhead) return context.lockedAhead
        const [locked = new Set<number>(), ...others] = await lockTogether(connection, [
          own,
          ...parts.flat(),
        ])
        lockedAhead = parts.map((ofList) =>
          others.splice(0, ofList.length).reduce((all, some) => all.union(some), new Set<number>()),
        )
        for (const one of lists) await lockCounters(connection, linesOf(one, ids))
        return locked
      },
      write: async (context, id, wholes) => {
        const later: Wholes | undefined = isLater ? new Map(wholes) : undefined
        const refusals = new Refusals()
        for (const [index, one] of lists.entries()) {
          const more = {
            lockedAhead: lockedAhead[index] ?? new Set<number>(),
            ...(later && { laterRollups: later }),
          }
          await requireOwn(connection, one, id)
          const lines = linesOf(one, [id])
          await writeEach({ ...lines, connection, deps, more, refusals, onWritten })
        }
        refusals.throwAny()
        await rollUpAll(connection, context, dueNow(context, id, later ?? wholes))
      },
    }
  }

/** Of many records, what is calculated of this one, whose fault it is if that does not fit; of others it is once, when all are written. */
const dueNow = ({ entity, laterRollups }: WriteContext, id: number, wholes: Wholes): Wholes => {
  if (!laterRollups) return wholes
  const own: Wholes = new Map()
  for (const [rollup, ids] of wholes)
    if (rollup.parent === entity && ids.delete(id)) own.set(rollup, new Set([id]))
  addWholes(laterRollups, wholes)
  return own
}

const linesOf = (
  { list, contexts, lines }: LinesOfList,
  ids: readonly number[] | 'new',
): Many & { readonly entity: Entity } => ({
  entity: list.target,
  contexts,
  lines,
  link: { column: list.link, id: ids[0] === undefined || ids === 'new' ? 'new' : ids[0] },
})

/** Throws with every line that is not one of the record, or that the writer may not read. */
const requireOwn = async (
  connection: Connection,
  { list: { target, link }, contexts, lines }: LinesOfList,
  id: number,
): Promise<void> => {
  const existing = lines.filter(({ operation }) => operation !== 'create')
  if (existing.length === 0) return
  const readable = contexts.change.access.readScope(target)
  const select = sql`
    SELECT t.id FROM ${table(target)} t
    WHERE t.id = ANY (${ints(existing.map((line) => line.id))}) AND ${notDeleted('t')}
      AND ${ref(link.name, 't')} = ${int(id)} AND ${compileScope(readable, target.hasOwner, 't')}`
  const own = new Set((await queryShaped<{ id: number }>(connection, select)).map((row) => row.id))
  const others = existing.filter((line) => !own.has(line.id))
  if (others.length === 0) return
  throw recordError(
    others.map((line) => ({
      path: at(line, 'id'),
      message: `there is no ${target.key} ${line.id} of this record that you may read`,
      rule: 'refused',
    })),
  )
}
