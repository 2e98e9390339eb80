/**
 * Where a process is killed while it keeps files. Loaded into it first (`NODE_OPTIONS=--import=…`), with the path of a file in
 * KILL_POINT that names the point: all of its threads look there.
 */
import { readFileSync } from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

type Point = {
  /** The statement; `storing` is when all bytes have been given to the store, which does not have them yet. */
  readonly at: RegExp | 'storing'
  /** `after` it is answered. */
  readonly when: 'before' | 'after'
  /** What is being done then. */
  readonly during: 'upload' | 'use' | 'removal'
  /** A statement that the connection has sent before. */
  readonly since?: RegExp
}

const announced = /INSERT INTO docket\.blob/
const uploaded = /INSERT INTO docket\.upload/
const used = /INSERT INTO docket\.file/
const gone = /DELETE FROM docket\.blob/
const commit = /^COMMIT/

export const killPoints = {
  'before the row of its bytes': { during: 'upload', when: 'before', at: announced },
  'after the row of its bytes': { during: 'upload', when: 'after', at: announced },
  'while its bytes are stored': { during: 'upload', when: 'before', at: 'storing' },
  'when its bytes are stored': { during: 'upload', when: 'before', at: uploaded },
  'before it is answered': { during: 'upload', when: 'after', at: uploaded },
  'when the upload is taken': {
    during: 'use',
    when: 'after',
    at: /DELETE FROM docket\.upload u\s+WHERE u\.id = ANY/,
  },
  'before the commit': { during: 'use', when: 'before', at: commit, since: used },
  'after the commit': { during: 'use', when: 'after', at: commit, since: used },
  'when nothing may use the bytes': {
    during: 'removal',
    when: 'after',
    at: /SET state = 'deleting'/,
  },
  'before the bytes go': {
    during: 'removal',
    when: 'after',
    at: /SELECT b\.sha256\s+FROM docket\.blob b[\s\S]*FOR UPDATE SKIP LOCKED/,
  },
  'when the bytes are gone': { during: 'removal', when: 'before', at: gone },
  'before the row is gone': { during: 'removal', when: 'after', at: gone },
  'when the row is gone': { during: 'removal', when: 'after', at: commit, since: gone },
} as const satisfies Readonly<Record<string, Point>>

export type KillPoint = keyof typeof killPoints

const { KILL_POINT } = process.env

const wanted = (): Point | undefined =>
  killPoints[readFileSync(KILL_POINT ?? '', 'utf8') as KillPoint]

const reach = (at: Point['at'], when: Point['when']) => {
  const point = wanted()
  if (point?.at === at && point.when === when) process.kill(process.pid, 'SIGKILL')
}

const textOf = (statement: unknown): string =>
  typeof statement === 'string'
    ? statement
    : String((statement as { readonly text?: unknown } | undefined)?.text)

const watchStatements = (): void => {
  const sent = new WeakMap<object, RegExp>()
  const { query } = pg.Client.prototype as { query: (...words: unknown[]) => unknown }
  const watched = function (this: object, ...words: unknown[]): unknown {
    const point = wanted()
    const text = textOf(words[0])
    if (point?.since?.test(text)) sent.set(this, point.since)
    const isHere =
      point !== undefined &&
      point.at !== 'storing' &&
      point.at.test(text) &&
      (point.since === undefined || sent.get(this) === point.since)
    const answered = words.at(-1)
    if (!isHere || typeof answered !== 'function') return query.apply(this, words)
    reach(point.at, 'before')
    return query.apply(this, [
      ...words.slice(0, -1),
      (...answer: unknown[]) => {
        reach(point.at, 'after')
        answered(...answer)
      },
    ])
  }
  Object.assign(pg.Client.prototype, { query: watched })
}

/** A folder has all bytes before it renames them, and a bucket is sent what is read. */
const watchStores = async (): Promise<void> => {
  const { rename } = fs
  fs.rename = async (...paths) => {
    reach('storing', 'before')
    await rename(...paths)
  }
  syncBuiltinESMExports()
  const file = await fs.open(fileURLToPath(import.meta.url))
  const prototype = Object.getPrototypeOf(file) as fs.FileHandle
  await file.close()
  const { createReadStream } = prototype
  prototype.createReadStream = function (this: fs.FileHandle, ...options) {
    return createReadStream.apply(this, options).once('end', () => reach('storing', 'before'))
  }
}

if (KILL_POINT !== undefined) {
  watchStatements()
  await watchStores()
}
