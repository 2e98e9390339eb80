/**
 * Checks that exported ids are those of a snapshot while writers run.
 *
 * The expected ids are known because every writer holds a shared advisory lock during its transaction. The
 * test takes that lock exclusively, so that nothing is committed meanwhile. Under it a REPEATABLE READ
 * transaction takes its snapshot, and the export is requested until its headers arrive, which the
 * service sends only after the first rows. Nothing is committed between both snapshots, so they are equal.
 * Only then the writers continue, and the response is read after they have committed again. The records
 * that the criteria select of that snapshot are computed in JavaScript from its plain rows.
 */
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { type Connection, queryRows } from '../../../src/database/pool.ts'
import { tableName } from '../../../src/database/sql.ts'
import { openExport, readCells, readToEnd } from '../export-request.ts'
import { queryParquet } from '../read-parquet.ts'
import { readXlsx } from '../read-xlsx.ts'
import { startTestService, type TestService } from '../service.ts'
import { until } from '../wait.ts'
import {
  bodyOf,
  fillStatement,
  keyOf,
  projectOf,
  type Query,
  type Scenario,
} from './a-random-project.ts'
import { expectedOf, type Row, type Rows } from './expected-records.ts'

const lock = 4711

type Writers = { readonly commits: () => number; readonly stop: () => Promise<void> }

/** Two writers that insert, update, relink, remove and delete records of every entity by SQL. */
const startWriters = ({ database }: TestService, chosen: Scenario): Writers => {
  let commits = 0
  let isOver = false
  const statements = chosen.entities.flatMap((_one, index) => {
    const table = tableName(keyOf(chosen, index))
    const some = `id IN (SELECT id FROM ${table} ORDER BY random() LIMIT 20)`
    return [
      `INSERT INTO ${table} (version, level, is_on, ballast) SELECT 0, level, is_on, ballast FROM ${table} LIMIT 3`,
      `UPDATE ${table} SET version = version + 1, level = (random() * 4)::integer WHERE ${some}`,
      `UPDATE ${table} SET link0_id = NULL, version = version + 1 WHERE ${some}`,
      `UPDATE ${table} SET _is_deleted = NOT _is_deleted WHERE ${some}`,
      `DELETE FROM ${table} WHERE id = (SELECT max(id) FROM ${table})`,
    ]
  })
  const write = async (first: number): Promise<void> => {
    for (let turn = first; !isOver; turn += 2) {
      const connection = await database.pool.connect()
      try {
        await connection.query('BEGIN')
        await connection.query('SELECT pg_advisory_xact_lock_shared($1)', [lock])
        // Twice, so that a partly visible transaction would be detected.
        await connection.query(statements[turn % statements.length] ?? '')
        await connection.query(statements[(turn * 3 + 1) % statements.length] ?? '')
        await connection.query('COMMIT')
        commits += 1
      } catch (error) {
        // A record that is linked, or a deadlock of both writers: then nothing is written.
        await connection.query('ROLLBACK')
        assert.match(String((error as { code?: unknown }).code), /^(23503|40P01)$/)
      } finally {
        connection.release()
      }
    }
  }
  const running = [write(0), write(1)]
  return {
    commits: () => commits,
    stop: async () => {
      isOver = true
      await Promise.all(running)
    },
  }
}

/** Both snapshots are taken while no writer runs; the response is not read yet. */
const takeSnapshots = async (
  service: TestService,
  chosen: Scenario,
  { entity, limit, page, format, ...query }: Query,
  snapshot: Connection,
): Promise<IncomingMessage> => {
  const blocker = await service.database.pool.connect()
  try {
    await blocker.query('SELECT pg_advisory_lock($1)', [lock])
    await snapshot.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await snapshot.query('SELECT FROM records."user" LIMIT 1')
    const paging = limit === undefined ? '' : `&limit=${limit}&page=${page}`
    return await openExport(service, `/${keyOf(chosen, entity)}/export?format=${format}${paging}`, {
      body: bodyOf({ entity, limit, page, format, ...query }),
    })
  } finally {
    await blocker.query('SELECT pg_advisory_unlock($1)', [lock])
    blocker.release()
  }
}

const rowsOf = async (chosen: Scenario, snapshot: Connection): Promise<Rows> => {
  const rows = new Map<string, Row[]>()
  for (const [index, { links }] of chosen.entities.entries()) {
    const columns = ['id', 'version', 'level', 'is_on', '_is_deleted']
    const all = [...columns, ...links.map((_target, number) => `link${number}_id`)]
    const key = keyOf(chosen, index)
    rows.set(
      key,
      await queryRows<Row>(snapshot, {
        text: `SELECT ${all.join(', ')} FROM ${tableName(key)} ORDER BY id`,
        values: [],
      }),
    )
  }
  return rows
}

const readPairs = async (
  response: IncomingMessage,
  format: Query['format'],
): Promise<[number, number][]> => {
  const { status, text, bytes } = await readToEnd(response)
  assert.equal(status, 200, text.slice(0, 1000))
  const ofObjects = (all: { id: number; version: number }[]) =>
    all.map(({ id, version }): [number, number] => [id, version])
  const ofCells = (all: (string | null)[][]) =>
    all.slice(1).map(([id, version]): [number, number] => [Number(id), Number(version)])
  switch (format) {
    case 'csv':
      return ofCells(readCells(text))
    case 'xlsx':
      return ofCells((await readXlsx(bytes)).map((row) => row.map(({ value }) => value)))
    case 'parquet':
      return (await queryParquet(bytes, 'SELECT id, version FROM file')).map(
        ([id, version]): [number, number] => [Number(id), Number(version)],
      )
    case 'json':
      return ofObjects(JSON.parse(text))
    case 'ndjson':
      return ofObjects(
        text
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line)),
      )
  }
}

const checkQuery = async (
  service: TestService,
  chosen: Scenario,
  query: Query,
  writers: Writers,
): Promise<void> => {
  const snapshot = await service.database.pool.connect()
  try {
    const response = await takeSnapshots(service, chosen, query, snapshot)
    const before = writers.commits()
    await until('the writers continue', () => writers.commits() > before + 5)
    const pairs = await readPairs(response, query.format)
    assert.deepEqual(pairs, expectedOf(chosen, query, await rowsOf(chosen, snapshot)))
  } finally {
    await snapshot.query('ROLLBACK')
    snapshot.release()
  }
}

/** Starts a service with the definitions and data, and checks each of the queries. */
export const checkExports = async (chosen: Scenario): Promise<void> => {
  const service = await startTestService(projectOf(chosen))
  await service.database.pool.query(fillStatement(chosen))
  const writers = startWriters(service, chosen)
  try {
    for (const query of chosen.queries) await checkQuery(service, chosen, query, writers)
  } finally {
    await writers.stop()
    await service.stop()
  }
}
