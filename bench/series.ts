/**
 * Creates whose number the service gives, compared with those that are given it, and with the same statement that takes it
 * from a plain counter of SQL: on the same server, with the same commits, by turns.
 */
import { createPool, type Pool, queryRow } from '../src/database/pool.ts'
import { raw, type Sql, sql } from '../src/database/sql.ts'
import { type Entity, getEntity } from '../src/definitions/catalog.ts'
import { loadProject } from '../src/definitions/load-project.ts'
import { numbersOfNew } from '../src/records/write/take-numbers.ts'
import {
  insertStatement,
  type NumberCell,
  type Values,
} from '../src/records/write/write-statements.ts'
import type { Environment, Service } from './environment.ts'
import { byTurns, median, middleHalfOf, sampler } from './figures.ts'
import { load } from './load.ts'
import { aimOf, type Row, type Table } from './report.ts'

const connections = 32
const products = 32
// Short, so that other load of the machine is that of both of a pair; many, so that their median is steady.
const ms = 100
const rounds = 160

/** Without a number; it is created by the administrator. */
const valuesOf = (entity: Entity, product: number): Values => {
  const values = { product_id: product, quantity: 12, notes: 'By the back door' }
  return new Map(
    entity.columns.flatMap((column) =>
      Object.hasOwn(values, column.name)
        ? [[column, values[column.name as keyof typeof values]] as const]
        : [],
    ),
  )
}

type Taking = {
  readonly numbers: readonly NumberCell[]
  readonly before?: Sql
  readonly from?: Sql
}

const create = async (pool: Pool, entity: Entity, product: number, given?: Taking) => {
  const values = valuesOf(entity, product)
  const { numbers, before, from } = given ?? {
    numbers: await numbersOfNew(pool, { entity, timeZone: 'Europe/Zagreb' }, values),
  }
  const statement = insertStatement({
    entity,
    author: { userId: 1, actingUserId: null },
    values,
    numbers,
    ...(before && { before: [before] }),
    ...(from && { from }),
    selected: [sql`t.id, ${raw('t.number')}`],
  })
  await queryRow(pool, statement)
}

let given = 0

/** How many a second so many connections create. */
const rate = async (work: () => Promise<void>): Promise<number> => {
  let done = 0
  const end = performance.now() + ms
  const worker = async () => {
    for (; performance.now() < end; done++) await work()
  }
  await Promise.all(Array.from({ length: connections }, worker))
  return (done / ms) * 1000
}

/** Each way to create: by requests, of one product or any of them, and by the statement alone. */
const waysOf = (pool: Pool, service: Service, entityOf: (key: string) => Entity) => {
  const any = () => 1 + Math.floor(Math.random() * products)
  const [plain, gapFree] = ['plain', 'gap_free'].map((key) => entityOf(`${key}_receipt`))
  const column = plain?.columnsByName.get('number')
  if (!plain || !gapFree || !column) throw new Error('The project lacks an entity or its number.')
  const requests = (entity: string, product: () => number) => {
    const request = () => ({
      method: 'POST' as const,
      path: `/${entity}`,
      body: {
        ...(entity === plain.key && { number: `G-${++given}` }),
        product_id: product(),
        quantity: 12,
        notes: 'By the back door',
      },
    })
    return sampler(async () => (await load(service, { request, ms, connections }))['req/s'])
  }
  const counter: Taking = {
    before: sql`n AS (
      UPDATE bench_counter SET next = next + 1 WHERE product_id = 1 RETURNING next - 1 AS number
    )`,
    from: sql`n`,
    numbers: [{ column, value: sql`'P1-' || lpad(n.number::text, 5, '0')` }],
  }
  return {
    plainOfOne: requests(plain.key, () => 1),
    fastOfOne: requests('fast_receipt', () => 1),
    plainOfAny: requests(plain.key, any),
    gapFreeOfAny: requests(gapFree.key, any),
    counter: sampler(() => rate(() => create(pool, plain, 1, counter))),
    gapFreeOfOne: sampler(() => rate(() => create(pool, gapFree, 1))),
  }
}

/** Rates, and the ratios of those with a series. */
export const benchSeries = async (environment: Environment): Promise<Table[]> => {
  const { project } = await loadProject(environment.project)
  if (!project) throw new Error('The project has errors.')
  const pool = createPool({
    connectionString: environment.databaseUrl,
    size: connections,
    observe: () => undefined,
  })
  try {
    await pool.query(`INSERT INTO records.product (sku, name, unit)
      SELECT 'P' || n, 'Product ' || n, 'piece' FROM generate_series(1, ${products}) n`)
    await pool.query(
      `CREATE TABLE bench_counter (product_id integer PRIMARY KEY, next bigint) WITH (fillfactor = 50)`,
    )
    await pool.query(`INSERT INTO bench_counter SELECT n, 1 FROM generate_series(1, ${products}) n`)
    const service = await environment.startService()
    const ways = waysOf(pool, service, (key) => getEntity(project.catalog, key))
    const { plainOfOne, plainOfAny, counter, gapFreeOfOne, gapFreeOfAny, fastOfOne } = ways
    const pairs = [
      [fastOfOne, plainOfOne],
      [gapFreeOfOne, counter],
      [gapFreeOfAny, plainOfAny],
    ]
    for (const pair of pairs) await byTurns(pair, { rounds, warmUps: 10 })
    const compared = (
      what: string,
      ours: typeof counter,
      theirs: typeof counter,
      least: number,
    ): Row => {
      const ratio = median(ours.samples.map((one, at) => one / (theirs.samples[at] ?? Number.NaN)))
      const figures = { ours: median(ours.samples), theirs: median(theirs.samples), ratio }
      return {
        what,
        ...figures,
        'middle half': middleHalfOf(ours.samples, theirs.samples),
        ...aimOf(ratio, { least }),
      }
    }
    return [
      {
        title: `creates a second of ${connections} connections: by requests; over a counter in SQL by the statement alone`,
        rows: [
          compared(
            'with gaps, one counter, over a number that is given',
            fastOfOne,
            plainOfOne,
            0.95,
          ),
          compared('without gaps, one counter, over a counter in SQL', gapFreeOfOne, counter, 0.9),
          compared(
            'without gaps, 32 counters, over a number that is given',
            gapFreeOfAny,
            plainOfAny,
            0.9,
          ),
        ],
      },
    ]
  } finally {
    await pool.end()
  }
}
