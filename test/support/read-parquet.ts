/** Reads Parquet by DuckDB, an engine that shares no code with the writer. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance, type DuckDBValue } from '@duckdb/node-api'

export type ParquetFile = {
  /** Name and type of each column. */
  readonly columns: readonly (readonly [name: string, type: string])[]
  readonly rows: readonly (readonly DuckDBValue[])[]
  /** Number of rows of each group. */
  readonly groups: readonly number[]
}

/** The result of a query, in which `file` is the file. */
export const queryParquet = async (
  bytes: Uint8Array,
  query: string,
): Promise<readonly (readonly DuckDBValue[])[]> => {
  const [rows] = await readEach(bytes, [query])
  return rows ?? []
}

/** Reads the whole file. Fails when it is not a Parquet file. */
export const readParquet = async (bytes: Uint8Array): Promise<ParquetFile> => {
  const [columns = [], rows = [], groups = []] = await readEach(bytes, [
    'DESCRIBE file',
    'FROM file',
    'SELECT DISTINCT row_group_id, row_group_num_rows FROM metadata() ORDER BY 1',
  ])
  return {
    columns: columns.map(([name, type]) => [String(name), String(type)]),
    rows,
    groups: groups.map(([, count]) => Number(count)),
  }
}

type Answer = readonly (readonly DuckDBValue[])[]

const readEach = async (bytes: Uint8Array, queries: readonly string[]): Promise<Answer[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'docket-parquet-'))
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    const path = join(folder, 'file.parquet')
    await writeFile(path, bytes)
    await connection.run(`CREATE VIEW file AS FROM read_parquet('${path}')`)
    await connection.run(`CREATE MACRO metadata() AS TABLE FROM parquet_metadata('${path}')`)
    const answers: Answer[] = []
    for (const query of queries) answers.push((await connection.runAndReadAll(query)).getRows())
    return answers
  } finally {
    connection.closeSync()
    instance.closeSync()
    await rm(folder, { recursive: true })
  }
}
