/**
 * How exports end, for clients that see no trailers: one row each, which every process can read. While an
 * export runs its process writes the row only every few seconds, and never waits for it.
 */
import type { Pool } from '../database/pool.ts'
import { runOutsideRequest } from '../database/request-context.ts'
import {
  type ExportRun,
  type FoundRun,
  findExportRun,
  type RunState,
  saveExportRun,
} from './export-run-store.ts'

/** Counted while chunks are written; the digest is known at the end. */
export type Tally = { rows: number; bytes: number; fileDigest: string | undefined }

type Begun = Pick<ExportRun, 'userId' | 'requestId' | 'entityKey' | 'format'>

type RunNote = {
  readonly end: (state: RunState) => void
  /** It was refused before its first byte: its client knows that. */
  readonly refuse: () => void
}

export type ExportRuns = {
  readonly begin: (begun: Begun, tally: Tally) => RunNote
  readonly find: (userId: number, requestId: string) => Promise<FoundRun | undefined>
}

// Most exports are shorter, and are written only once.
const firstAfterMs = 1_000
const everyMs = 5_000

export const createExportRuns = (pool: Pool): ExportRuns => {
  /** The last write of each run of this process. */
  const writing = new Map<string, Promise<void>>()
  return {
    begin: (begun, tally) => noteRun(pool, writing, begun, tally),
    find: async (userId, requestId) => {
      // The client may ask before the end is written.
      await writing.get(keyOf({ userId, requestId }))
      return findExportRun(pool, userId, requestId)
    },
  }
}

const keyOf = ({ userId, requestId }: Pick<ExportRun, 'userId' | 'requestId'>): string =>
  `${userId} ${requestId}`

const noteRun = (
  pool: Pool,
  writing: Map<string, Promise<void>>,
  begun: Begun,
  tally: Tally,
): RunNote => {
  const key = keyOf(begun)
  const begunAt = new Date()
  let isWritten = false
  let last: Promise<void> = Promise.resolve()
  const write = (state: RunState) => {
    isWritten = true
    const run = { ...begun, ...tally, begunAt, state }
    // A row that cannot be written is older than its process renews it, and counts as failed.
    const next = last.then(() => save(pool, run)).catch(() => undefined)
    last = next
    writing.set(key, next)
    void next.then(() => {
      if (writing.get(key) === next) writing.delete(key)
    })
  }
  const renew = () => {
    write('running')
    timer = setTimeout(renew, everyMs).unref()
  }
  let timer = setTimeout(renew, firstAfterMs).unref()
  const end = (state: RunState) => {
    clearTimeout(timer)
    write(state)
  }
  return {
    end,
    refuse: () => {
      clearTimeout(timer)
      if (isWritten) write('failed')
    },
  }
}

/** The request may have ended. */
const save = (pool: Pool, run: Parameters<typeof saveExportRun>[1]): Promise<void> =>
  runOutsideRequest(() => saveExportRun(pool, run))
