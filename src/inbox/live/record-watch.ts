/**
 * Sends the streams of this process that watch records which of them have changed: once a second, one
 * statement reads what all of them need; none while no stream watches.
 */
import type { Person } from '../../auth/caller.ts'
import type { Pool } from '../../database/pool.ts'
import { isPartOfRecord } from '../../definitions/native-entities.ts'
import { type Change, type ChangeFeed, createChangeFeed } from './change-feed.ts'
import { createCoalescedTask } from './coalesced-task.ts'
import type { Stream } from './stream.ts'
import {
  type ChangedRecord,
  type ChangedRecords,
  eventsFor,
  type Facts,
  missedEvents,
  type ReadRecord,
  readFacts,
  readRoles,
  type WatchDeps,
  type WatchEvent,
  type WatchRequest,
} from './watched-events.ts'

/** What a stream watches. */
export type Watching = {
  readonly request: WatchRequest
  /** The role whose rights the client knows. */
  readonly roleKey: string
  /** Something was not sent: the client is to read again what it shows. */
  readonly hasMissed: boolean
}

type Watcher = { -readonly [Key in keyof Watching]: Watching[Key] } & {
  readonly stream: Stream
  /** Whether the versions that the client has read were compared with those of now. */
  isCompared: boolean
}

type Options = WatchDeps & {
  readonly pool: Pool
  /** Resolves when every replica that answers reads has what is committed now: clients then read the changed records. */
  readonly settled?: (() => Promise<void>) | undefined
  readonly onFailure: (error: unknown) => void
}

const everyMs = 1_000
// A stream that is being opened has started the watch and is not added yet.
const maxIdleRuns = 60

export const createRecordWatch = ({ onFailure, ...deps }: Options) => {
  const watchers = new Map<Stream, Watcher>()
  const parts = [...deps.catalog.entities.values()].filter(isPartOfRecord)
  const feed = createChangeFeed(deps.pool, parts)
  let timer: NodeJS.Timeout | undefined
  let idleRuns = 0
  const rest = () => {
    clearInterval(timer)
    timer = undefined
    feed.stop()
  }
  const run = async () => {
    idleRuns = watchers.size > 0 ? 0 : idleRuns + 1
    if (idleRuns === 0) await sendChanges(deps, feed, [...watchers.values()])
    else if (idleRuns > maxIdleRuns) rest()
    return false
  }
  const task = createCoalescedTask({ run, onFailure })
  return {
    /** Resolves when every later change will be sent. */
    start: () => {
      idleRuns = 0
      return feed.start()
    },
    add: (stream: Stream, watching: Watching) => {
      const isCompared = watching.request.records.every(({ version }) => version === undefined)
      watchers.set(stream, { ...watching, stream, isCompared })
      timer ??= setInterval(task.trigger, everyMs).unref()
      if (watching.hasMissed || !isCompared) task.trigger()
    },
    remove: (stream: Stream) => void watchers.delete(stream),
    close: async () => {
      clearInterval(timer)
      await task.stop()
    },
  }
}

type Deps = Omit<Options, 'onFailure'>

const sendChanges = async (
  deps: Deps,
  feed: ChangeFeed,
  watchers: readonly Watcher[],
): Promise<void> => {
  // A start that failed is repeated here.
  await feed.start()
  const { changes, isLossy } = await feed.next()
  if (isLossy) for (const watcher of watchers) watcher.hasMissed = true
  const compared = watchers.filter(({ isCompared }) => !isCompared)
  try {
    if (changes.length > 0 || compared.length > 0) await deps.settled?.()
    if (changes.length > 0) await sendEvents(deps, changes, watchers)
    await compareVersions(deps, compared)
  } catch (error) {
    // The feed does not return these changes again.
    for (const watcher of watchers) watcher.hasMissed = true
    throw error
  } finally {
    watchers.forEach(sendReset)
  }
}

const sendEvents = async (
  deps: Deps,
  changes: readonly Change[],
  watchers: readonly Watcher[],
): Promise<void> => {
  const userIds = [...new Set(watchers.map(({ stream }) => stream.userId))]
  const roles = await readRoles(deps.pool, userIds)
  const persons = [...roles].map(([userId, roleKey]) => ({ userId, roleKey }))
  const changed = await readChanged(deps, changes, persons)
  for (const watcher of watchers)
    sendEventsTo(deps, watcher, changed, roles.get(watcher.stream.userId))
}

const sendEventsTo = (
  deps: Deps,
  watcher: Watcher,
  changed: ChangedRecords,
  roleKey: string | undefined,
): void => {
  const { stream, request } = watcher
  // A user who has lost the role loses the stream too.
  if (roleKey === undefined) return
  // Conditions of reading may compare any value of the user.
  const isUserChanged = changed.get('user')?.has(stream.userId) === true
  if (roleKey !== watcher.roleKey || isUserChanged) watcher.hasMissed = true
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
    const { stream, roleKey } = watcher
    const person = { userId: stream.userId, roleKey }
    const records = await readWatchedVersions(deps, watcher.request, person)
    send(watcher, missedEvents(deps, person, records))
    watcher.isCompared = true
  }
}

/** The records whose version the client has read, as they are now. */
const readWatchedVersions = async (
  deps: Deps,
  { records }: WatchRequest,
  person: Person,
): Promise<readonly ReadRecord[]> => {
  const found: ReadRecord[] = []
  for (const [key, all] of Map.groupBy(records, ({ entityKey }) => entityKey)) {
    const entity = deps.catalog.entities.get(key)
    const read = all.flatMap(({ id, version }) =>
      id === undefined || version === undefined ? [] : [{ id, version }],
    )
    if (!entity || read.length === 0) continue
    const ids = read.map(({ id }) => id)
    const facts = await readFacts(deps, entity, ids, [person])
    for (const { id, version } of read) found.push({ entity, id, version, facts: facts.get(id) })
  }
  return found
}

const sendReset = (watcher: Watcher): void => {
  if (!watcher.hasMissed || !watcher.stream.isReady()) return
  watcher.hasMissed = false
  watcher.stream.sendText('event: reset\ndata: {}\n\n')
}

/** The changed records with their facts, one statement for each entity. */
const readChanged = async (
  deps: Deps,
  changes: readonly Change[],
  persons: readonly Person[],
): Promise<ChangedRecords> => {
  const changed = new Map<string, ReadonlyMap<number, ChangedRecord>>()
  const below = Map.groupBy(
    changes.filter((one) => one.below),
    ({ below: record }) => record?.entityKey ?? '',
  )
  const byEntity = Map.groupBy(changes, ({ entityKey }) => entityKey)
  for (const key of new Set([...byEntity.keys(), ...below.keys()])) {
    const entity = deps.catalog.entities.get(key)
    if (!entity) continue
    const own = byEntity.get(key) ?? []
    const ofParts = Map.groupBy(below.get(key) ?? [], ({ below: record }) => record?.recordId ?? 0)
    const byRecord = Map.groupBy(own, ({ recordId }) => recordId)
    for (const id of ofParts.keys()) if (!byRecord.has(id)) byRecord.set(id, [])
    const changeIds = own.map(({ id }) => id)
    const facts = await readFacts(deps, entity, [...byRecord.keys()], persons, changeIds)
    changed.set(
      key,
      new Map(
        [...byRecord].map(([id, all]) => [
          id,
          changedRecord(id, { all, ofParts: ofParts.get(id) ?? [] }, facts.get(id)),
        ]),
      ),
    )
  }
  return changed
}

const changedRecord = (
  id: number,
  { all, ofParts }: { readonly all: readonly Change[]; readonly ofParts: readonly Change[] },
  facts: Facts | undefined,
): ChangedRecord => ({
  id,
  facts,
  parts: ofParts.map(({ entityKey, below }) => ({
    key: entityKey,
    isConfined: below?.isConfined === true,
  })),
  operations: new Set(all.map(({ operation }) => operation)),
  entitledBefore: new Set(all.flatMap(({ entitledBefore }) => entitledBefore ?? [])),
})
