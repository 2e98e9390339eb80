/**
 * A service under attack and who watches it: its own thread from inside, another caller's answers from
 * a third process, the memory of its connections in PostgreSQL.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { endedAfterwards } from '../support/docket.ts'
import { type DocketProcess, startDocket } from '../support/docket-process.ts'
import { within } from '../support/wait.ts'
import type { Seen } from '../support/watch-process.ts'
import { hostileFiles, people } from './a-hostile-project.ts'
import type { Answers, Errand } from './another-caller.ts'

export type Watched = {
  readonly service: Seen
  /** How much memory the service held beyond what it held before, at most, in bytes. */
  readonly grownBytes: number
  /** The most memory of their own that its connections held in PostgreSQL together, in bytes. */
  readonly databaseBytes: number
  readonly other: Answers
}

export type Hostile = DocketProcess & {
  /** The slowest that the other caller's answers were while nothing else happened, in milliseconds. */
  readonly idleP99: () => number
  /** Watches while something is done. */
  readonly watch: (work: () => Promise<unknown>) => Promise<Watched>
}

const megabyte = 1_048_576

/** What an attack may do, at most. */
export const most = {
  /** A stop of the service's thread, of its own processor time. */
  computedMs: 200,
  /** A wait of its timers on the clock; others may have the processor. */
  waitedMs: 5000,
  /** An answer to another caller, unless three times the slowest of idle times is more. */
  p99Ms: 1500,
  grownBytes: 400 * megabyte,
  databaseBytes: 600 * megabyte,
} as const

/** Starts the service, and the other caller, who asks from then on. */
export const startHostile = async (
  environment: Readonly<Record<string, string>> = {},
): Promise<Hostile> => {
  const preload = new URL('../support/watch-process.ts', import.meta.url)
  const docket = await startDocket({ files: hostileFiles, users: people, environment, preload })
  const caller = await startCaller(docket)
  let idleP99 = 0
  const watch = async (work: () => Promise<unknown>): Promise<Watched> => {
    idleP99 = Math.max(idleP99, (await listen(caller, () => delay(300))).p99)
    const before = (await seen(docket.child)).residentBytes
    const backends = watchBackends(docket)
    try {
      const other = await listen(caller, work)
      const service = await seen(docket.child)
      const grownBytes = service.residentBytes - before
      return { service, grownBytes, other, databaseBytes: await backends() }
    } finally {
      await backends()
    }
  }
  return { ...docket, idleP99: () => idleP99, watch }
}

/** Fails where an attack did more than it may. */
export const assertHeld = ({ idleP99 }: Hostile, watched: Watched): void => {
  const { service, grownBytes, databaseBytes, other } = watched
  const shown = JSON.stringify({ ...watched, idleP99: idleP99() })
  const isWithin = {
    'the thread computed in one go': service.computedMs <= most.computedMs,
    'its timers waited': service.waitedMs <= Math.max(most.waitedMs, 5 * other.machineMs),
    'it held more memory': grownBytes <= most.grownBytes,
    'PostgreSQL held memory for it': databaseBytes <= most.databaseBytes,
    'another caller waited': other.p99 <= Math.max(most.p99Ms, 3 * idleP99()),
    'another caller was refused': Object.keys(other.refused).length === 0,
  }
  const broken = Object.entries(isWithin).filter(([, isSo]) => !isSo)
  assert.equal(broken.length, 0, `${broken.map(([what]) => what)}: ${shown}`)
}

const startCaller = async ({ url, tokenOf }: DocketProcess): Promise<ChildProcess> => {
  const program = fileURLToPath(new URL('another-caller.ts', import.meta.url))
  const caller = endedAfterwards(fork(program, { execArgv: [] }))
  const errand: Errand = {
    ...{ url, token: tokenOf('neighbour') },
    paths: ['/api/health/live', '/client/1', '/client?limit=5'],
  }
  caller.send(errand)
  return caller
}

const listen = async (caller: ChildProcess, work: () => Promise<unknown>): Promise<Answers> => {
  caller.send('begin')
  await work()
  // So that an answer that still waits is among them.
  await delay(100)
  return (await told(caller, 'end')) as Answers
}

const seen = async (child: ChildProcess): Promise<Seen> => (await told(child, 'seen')) as Seen

const told = async (child: ChildProcess, question: string): Promise<unknown> => {
  const answer = once(child, 'message')
  child.send(question)
  const [message] = await within(`a process answers "${question}"`, answer)
  return message
}

/** Sums what the connections of the service hold for themselves, where the system tells. */
const watchBackends = ({ pool }: DocketProcess): (() => Promise<number>) => {
  const connections = `SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'docket%' AND pid <> pg_backend_pid()`
  let isOver = false
  const watch = async () => {
    let maxBytes = 0
    while (!isOver) {
      const { rows } = await pool.query<{ pid: number }>(connections)
      const held = await Promise.all(rows.map(({ pid }) => ownBytesOf(pid)))
      maxBytes = Math.max(
        maxBytes,
        held.reduce((sum, one) => sum + one, 0),
      )
      await delay(100)
    }
    return maxBytes
  }
  const watching = watch()
  return () => {
    isOver = true
    return watching
  }
}

const ownBytesOf = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024
}
