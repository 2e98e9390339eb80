/**
 * Tells the streams of this process that watch records which of them have changed: once a second, one
 * statement reads what all of them need; none while nobody watches.
 */
import type { Pool } from '../../database/pool.ts'
import { isPartOfRecord } from '../../definitions/native-entities.ts'
import { createChangeFeed } from './change-feed.ts'
import { type Change, type Facts, readFacts, readRoles } from './change-store.ts'
import { createCoalescedTask } from './coalesced-task.ts'
import type { Stream } from './stream.ts'
import type { WatchRequest } from './watch-request.ts'
import {
  type ChangedRecord,
  type ChangedRecords,
  eventsFor,
  type KnownRecord,
  missedEvents,
  type WatchDeps,
  type WatchEvent,
} from './watched-events.ts'

type Watcher = {
  readonly stream: Stream
  readonly request: WatchRequest
  /** The role whose rights the client knows. */
  roleKey: string
  /** Something was not sent: the client is told to read again what it shows. */
  hasMissed: boolean
  /** Whether the versions that the client has read are those of now, or it was told. */
  isCompared: boolean
}

export type ChangeWatch = {
  /** Resolves when every later change will be told. */
  readonly start: () => Promise<void>
  readonly add: (watcher: Omit<Watcher, 'isCompared'>) => void
  readonly remove: (stream: Stream) => void
  readonly close: () => Promise<void>
}

type Options = WatchDeps & {
  readonly pool: Pool
  /** Resolves when every replica that answers reads has what is committed now: clients read what they are told of. */
  readonly settled?: (() => Promise<void>) | undefined
  readonly onFailure: (error: unknown) => void
}

const everyMs = 1_000
// A stream that is being opened has a start and is not added yet.
const maxIdleRuns = 60

export const watchChanges = ({ onFailure, ...deps }: Options): ChangeWatch => {
  const watchers = new Map<Stream, Watcher>()
  const partEntity = [...deps.catalog.entities.values()].find(isPartOfRecord)
  const feed = createChangeFeed(deps.pool, partEntity)
  let timer: NodeJS.Timeout | undefined
  let idleRuns = 0
  const rest = () => {
    clearInterval(timer)
    timer = undefined
    feed.stop()
  }
  const run = async () => {
    idleRuns = watchers.size > 0 ? 0 : idleRuns + 1
    if (idleRuns === 0) await tellChanges(deps, feed, [...watchers.values()])
    else if (idleRuns > maxIdleRuns) rest()
    return false
  }
  const task = createCoalescedTask({ run, onFailure })
  return {
    start: () => {
      idleRuns = 0
      return feed.start()
    },
    add: (watcher) => {
      const isCompared = watcher.request.records.every(({ version }) => version === undefined)
      watchers.set(watcher.stream, { ...watcher, isCompared })
      timer ??= setInterval(task.trigger, everyMs).unref()
      if (watcher.hasMissed || !isCompared) task.trigger()
    },
    remove: (stream) => void watchers.delete(stream),
    close: async () => {
      clearInterval(timer)
      await task.stop()
    },
  }
}

type Deps = Omit<Options, 'onFailure'>

const tellChanges = async (
  deps: Deps,
  feed: ReturnType<typeof createChangeFeed>,
  watchers: readonly Watcher[],
): Promise<void> => {
  // A start that failed is repeated here.
  await feed.start()
  const { changes, isLossy } = await feed.next()
  if (isLossy) for (const watcher of watchers) watcher.hasMissed = true
  const compared = watchers.filter(({ isCompared }) => !isCompared)
  try {
    if (changes.length > 0 || compared.length > 0) await deps.settled?.()
    if (changes.length > 0) await tell(deps, changes, watchers)
    await compareVersions(deps, compared)
  } catch (error) {
    // The feed has moved on.
    for (const watcher of watchers) watcher.hasMissed = true
    throw error
  } finally {
    watchers.forEach(tellMissed)
  }
}

const tell = async (
  deps: Deps,
  changes: readonly Change[],
  watchers: readonly Watcher[],
): Promise<void> => {
  const userIds = [...new Set(watchers.map(({ stream }) => stream.userId))]
  const [changed, roles] = await Promise.all([
    readChanged(deps, changes),
    readRoles(deps.pool, userIds),
  ])
  for (const watcher of watchers) tellOne(deps, watcher, changed, roles.get(watcher.stream.userId))
}

const tellOne = (
  deps: Deps,
  watcher: Watcher,
  changed: ChangedRecords,
  roleKey: string | undefined,
): void => {
  const { stream, request } = watcher
  // Whoever has lost the role loses the stream too.
  if (roleKey === undefined) return
  if (roleKey !== watcher.roleKey) watcher.hasMissed = true
  watcher.roleKey = roleKey
  send(watcher, eventsFor(deps, { userId: stream.userId, roleKey }, request, changed))
}

const send = (watcher: Watcher, events: readonly WatchEvent[] | undefined): void => {
  const { stream } = watcher
  if (events === undefined || (events.length > 0 && !stream.isReady())) watcher.hasMissed = true
  else if (events.length > 0)
    stream.sendText(
      events
        .map(({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
        .join(''),
    )
}

/** What clients have missed between reading a record and the beginning of their stream. */
const compareVersions = async (deps: Deps, watchers: readonly Watcher[]): Promise<void> => {
  for (const watcher of watchers) {
    const known = await readKnown(deps, watcher.request)
    const { stream, roleKey } = watcher
    const person = { userId: stream.userId, roleKey }
    send(watcher, missedEvents(deps, person, known))
    watcher.isCompared = true
  }
}

/** The records whose version the client has read, as they are now. */
const readKnown = async (
  { pool, catalog }: Deps,
  { records }: WatchRequest,
): Promise<readonly KnownRecord[]> => {
  const known: KnownRecord[] = []
  for (const [key, all] of Map.groupBy(records, ({ entityKey }) => entityKey)) {
    const entity = catalog.entities.get(key)
    const read = all.flatMap(({ id, version }) =>
      id === undefined || version === undefined ? [] : [{ id, version }],
    )
    if (!entity || read.length === 0) continue
    const facts = await readFacts(
      pool,
      entity,
      read.map(({ id }) => id),
    )
    for (const { id, version } of read) known.push({ entity, id, version, facts: facts.get(id) })
  }
  return known
}

const tellMissed = (watcher: Watcher): void => {
  if (!watcher.hasMissed || !watcher.stream.isReady()) return
  watcher.hasMissed = false
  watcher.stream.sendText('event: reset\ndata: {}\n\n')
}

/** The changed records with their facts, one statement for each entity. */
const readChanged = async (
  { pool, catalog }: Deps,
  changes: readonly Change[],
): Promise<ChangedRecords> => {
  const changed = new Map<string, ReadonlyMap<number, ChangedRecord>>()
  for (const [key, own] of Map.groupBy(changes, ({ entityKey }) => entityKey)) {
    const entity = catalog.entities.get(key)
    if (!entity) continue
    const byRecord = Map.groupBy(own, ({ recordId }) => recordId)
    const facts = await readFacts(pool, entity, [...byRecord.keys()])
    changed.set(
      key,
      new Map([...byRecord].map(([id, all]) => [id, changedRecord(id, all, facts.get(id))])),
    )
  }
  return changed
}

const changedRecord = (
  id: number,
  all: readonly Change[],
  facts: Facts | undefined,
): ChangedRecord => ({
  id,
  facts,
  operations: new Set(all.map(({ operation }) => operation)),
  earlier: new Set(all.flatMap(({ earlier }) => earlier)),
})
