/**
 * What a job does with a run: step by step it is checked, and batch by batch written. Each step is a transaction that locks the run and
 * commits its place, so that a run goes on where its last process has ended, and two processes do nothing twice.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { type Connection, type Pool, queryCount, queryOnce } from '../database/pool.ts'
import { int, sql, table } from '../database/sql.ts'
import { partOf, transaction } from '../database/transaction.ts'
import { errorText } from '../errors.ts'
import { handleJob, type JobHandler } from '../jobs/job.ts'
import { validationConditions } from '../records/write/conditions.ts'
import { createsSets, writesSets } from '../records/write/divided-sets.ts'
import { createPace, mostInSets, mostOneByOne, type Pace } from './batch-pace.ts'
import { checkSteps, countRows } from './check-rows.ts'
import { checkFaultyTargets, faultRecords } from './dependent-rows.ts'
import { raiseAboveGiven } from './given-numbers.ts'
import { type OpenRun, openRun, RunRefused } from './open-run.ts'
import { rowsWithFaults } from './run-list.ts'
import {
  type ImportRun,
  importRows,
  lockRun,
  noCounts,
  type RunState,
  updateRun,
} from './run-store.ts'
import type { Written } from './staged-rows.ts'
import { addFaults, dropStaged, inPlaces, isToBeDone, stagedTable } from './staged-rows.ts'
import { type UndoDeps, undoBatch } from './undo-records.ts'
import { noteRecords } from './undo-run.ts'
import { isWrittenSingly, writePlaces } from './write-rows.ts'

type Deps = UndoDeps & { readonly pool: Pool }

/** Of larger files PostgreSQL analyses the table again when a tenth is written. */
const analysedRows = 50_000

/** The job of a run. */
export const importHandler = (deps: Deps): JobHandler =>
  handleJob(importRows, async ({ import_id: id }, { signal, attempt, of }) => {
    try {
      await runImport(deps, id, signal)
    } catch (error) {
      if (attempt >= of && !signal.aborted) await giveUp(deps, id, errorText(error))
      throw error
    }
  })

/** What was being written or undone waits for its user; what was undone until then stays so. */
const giveUp = (
  { pool }: Deps,
  id: number,
  error: string,
  state: RunState = 'stopped',
): Promise<void> =>
  transaction(pool, async (connection) => {
    const run = await lockRun(connection, id)
    const isUndone = run?.state === 'undoing'
    await updateRun(connection, id, { state: isUndone ? 'undone' : state, error })
  })

/** Works on a run until it is done, or waits for its user. */
export const runImport = async (deps: Deps, id: number, signal: AbortSignal): Promise<void> => {
  let tries = 0
  const pace = createPace()
  for (;;) {
    signal.throwIfAborted()
    try {
      if (!(await advance(deps, id, pace))) return
      tries = 0
    } catch (error) {
      tries += 1
      if (!isContended(error) || tries > maxTries) throw error
      await delay(Math.random() * 100 * tries)
    }
  }
}

const maxTries = 20

// Serialization failure, deadlock, lock timeout, links that change all the time: what the step did is undone, and it is done again.
const isContended = (error: unknown): boolean =>
  ['40001', '40P01', '55P03', 'request.contended'].includes(
    String((error as { code?: unknown })?.code),
  )

/** One step; whether there is another one. */
const advance = async (deps: Deps, id: number, pace: Pace): Promise<boolean> => {
  try {
    return await transaction(deps.pool, async (connection) => {
      const run = await lockRun(connection, id)
      if (run?.state === 'undoing') return undoBatch(connection, deps, run, pace)
      if (run?.state !== 'checking' && run?.state !== 'writing') return false
      if (!(await hasRows(connection, run)))
        throw new RowsLost(
          'The rows are lost, because PostgreSQL has crashed: send the file again.',
        )
      const open = await openRun(connection, deps, run)
      return run.state === 'checking'
        ? check(connection, open, pace)
        : write(connection, open, pace)
    })
  } catch (error) {
    if (error instanceof AllRefused) return takeBack(deps, id, error.written)
    if (!(error instanceof RunRefused)) throw error
    await giveUp(deps, id, error.message, error instanceof RowsLost ? 'failed' : 'stopped')
    return false
  }
}

class RowsLost extends RunRefused {}

const hasRows = async (connection: Connection, { id, rows }: ImportRun): Promise<boolean> => {
  const found = await queryOnce<{ is_there: boolean }>(
    connection,
    sql`SELECT to_regclass(${sql`'docket.import_' || ${int(id)}::text`}) IS NOT NULL AS is_there`,
  )
  if (!found[0]?.is_there) return false
  const [row] = await queryOnce(connection, sql`SELECT FROM ${stagedTable(id)} LIMIT 1`)
  return rows === 0 || row !== undefined
}

/** The next rows without a fault, and the place of the last one, or of the last row if they are the last. */
const nextPlaces = async (
  connection: Connection,
  open: OpenRun,
  after: number,
  limit: number,
): Promise<{ readonly places: readonly number[]; readonly last: number }> => {
  // One row: an object for each would outlive the batch.
  const [row] = await queryOnce<{ places: number[] }>(
    connection,
    sql`
      SELECT coalesce(array_agg(p.n ORDER BY p.n), '{}') AS places
      FROM (
        SELECT s.n
        FROM ${stagedTable(open.id)} s
        WHERE ${isToBeDone(open)} AND s.n > ${int(after)} AND s.fault IS NULL
        ORDER BY s.n
        LIMIT ${int(limit)}
      ) p`,
  )
  const places = row?.places ?? []
  return { places, last: places.length < limit ? open.run.rows : (places.at(-1) ?? 0) }
}

const check = async (connection: Connection, open: OpenRun, pace: Pace): Promise<boolean> => {
  const { id, run } = open
  const step = checkSteps[run.place]
  if (step) {
    await step(connection, open)
    await updateRun(connection, id, { place: run.place + 1 })
    return true
  }
  const tried = run.place - checkSteps.length
  if (isToBeTried(open) && tried < run.rows) {
    await pace(mostAtOnce(open), async (rows) => {
      const { places, last } = await nextPlaces(connection, open, tried, rows)
      await tryRows(connection, open, places)
      await updateRun(connection, id, { place: checkSteps.length + last })
    })
    return true
  }
  await checkFaultyTargets(connection, open)
  await faultRecords(connection, open)
  const { rows, faulty, ...counts } = await countRows(connection, open)
  const goesOn = run.writes && (faulty === 0 || !run.all_or_nothing)
  await updateRun(connection, id, {
    state: goesOn ? 'writing' : 'ready',
    isChecked: true,
    place: 0,
    faulty,
    counts: goesOn ? (run.written ?? noCounts) : counts,
    error: run.writes && !goesOn ? allOrNothingText(faulty) : null,
  })
  return goesOn
}

const allOrNothingText = (faulty: number): string =>
  `${rowsWithFaults(faulty)}, so nothing is written: correct the file and send it again, or start the run with allOrNothing=false.`

/** Whether conditions, validations, guards or lines decide on records, so that only a write of them shows it. */
const isToBeTried = (open: OpenRun): boolean => isWrittenSingly(open) || isDecidedByWrites(open)

const isDecidedByWrites = ({ creating, updating, plan }: OpenRun): boolean =>
  [
    { context: plan.mode === 'update' ? undefined : creating, isInSets: createsSets },
    { context: plan.mode === 'insert' ? undefined : updating, isInSets: writesSets },
  ].some(
    ({ context, isInSets }) =>
      context !== undefined &&
      (!isInSets(context) ||
        Object.keys(context.conditions).some((right) => right !== 'read') ||
        validationConditions(context).length > 0 ||
        context.scope !== 'all'),
  )

class TrialEnded extends Error {
  readonly written: Written
  constructor(written: Written) {
    super('The trial has ended.')
    this.written = written
  }
}

const tryRows = async (
  connection: Connection,
  open: OpenRun,
  places: readonly number[],
): Promise<void> => {
  const written = await partOf(connection)
    .transact<Written>(async () => {
      await raiseAboveGiven(connection, open, inPlaces(places), { isTrial: true })
      throw new TrialEnded(await writePlaces(connection, open, places, { isTrial: true }))
    })
    .catch((error: unknown) => {
      if (error instanceof TrialEnded) return error.written
      throw error
    })
  await addFaults(connection, open.id, written.faults)
}

const mostAtOnce = (open: OpenRun): number => {
  const { creating, updating } = open
  return isWrittenSingly(open) ||
    (creating && !createsSets(creating)) ||
    (updating && !writesSets(updating))
    ? mostOneByOne
    : mostInSets
}

/** One batch, or all of them where nothing may be left out. */
const write = async (connection: Connection, open: OpenRun, pace: Pace): Promise<boolean> => {
  const { run } = open
  let { place } = run
  if (place === 0) await raiseAboveGiven(connection, open, sql`s.fault IS NULL`)
  do {
    place = await pace(mostAtOnce(open), async (rows) => {
      const { places, last } = await nextPlaces(connection, open, place, rows)
      const written = await writePlaces(connection, open, places)
      if (run.all_or_nothing && written.faults.length > 0) throw new AllRefused(written)
      await note(connection, open, last, written)
      await analyse(connection, open, place, last)
      return last
    })
  } while (run.all_or_nothing && place < run.rows)
  return place < run.rows
}

const note = async (
  connection: Connection,
  open: OpenRun,
  place: number,
  written: Written,
): Promise<void> => {
  const { id, run } = open
  const { faults, created, changed, unchanged } = written
  await noteRecords(connection, open, written)
  await addFaults(connection, id, faults)
  const isDone = place >= run.rows
  const faulty = await countFaulty(connection, id, faults.length > 0 || isDone)
  await updateRun(connection, id, {
    place,
    more: { created: created.length, changed: changed.length, unchanged },
    ...(faulty !== undefined && { faulty }),
    ...(isDone && { state: 'done' }),
  })
  if (isDone && faulty === 0) await dropStaged(connection, id)
}

const countFaulty = async (
  connection: Connection,
  id: number,
  isAsked: boolean,
): Promise<number | undefined> => {
  if (!isAsked) return undefined
  return queryCount(
    connection,
    sql`SELECT count(*) AS faulty FROM ${stagedTable(id)} s WHERE s.fault IS NOT NULL`,
  )
}

const analyse = async (
  connection: Connection,
  { entity, run }: OpenRun,
  before: number,
  after: number,
): Promise<void> => {
  const tenth = run.rows / 10
  if (run.rows >= analysedRows && before < tenth && after >= tenth)
    await queryOnce(connection, sql`ANALYZE ${table(entity)}`)
}

/** Rows that were refused where nothing may be left out: all is undone. */
class AllRefused extends Error {
  readonly written: Written
  constructor(written: Written) {
    super('Rows are refused.')
    this.written = written
  }
}

const takeBack = async ({ pool }: Deps, id: number, { faults }: Written): Promise<boolean> => {
  await transaction(pool, async (connection) => {
    const run = await lockRun(connection, id)
    if (run?.state !== 'writing') return
    await addFaults(connection, id, faults)
    const faulty = (await countFaulty(connection, id, true)) ?? 0
    await updateRun(connection, id, {
      state: 'ready',
      place: 0,
      faulty,
      counts: noCounts,
      error: allOrNothingText(faulty),
    })
  })
  return false
}
