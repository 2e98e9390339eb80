/** Rules of notifications: what they cost a change, and the dates of many records. */
import { loadProject } from '../src/definitions/load-project.ts'
import { sweepDates } from '../src/notify/due-dates.ts'
import type { Environment } from './environment.ts'
import { byTurns, median, middleHalfOf, sampler, timed } from './figures.ts'
import { load } from './load.ts'
import { aimOf, note, type Table } from './report.ts'

const connections = 8
// Short, so that other load of the machine is that of both of a pair; many, so that their median is steady.
const ms = 200
const rounds = 120
const changed = 1_000
const due = 5_000

/** Half of the dates before now and half after it; exactly so many are due at the time of the sweep. */
const fill = async ({ pool }: Environment, rows: number): Promise<void> => {
  for (const name of ['plain_policy', 'policy']) {
    await pool.query(
      `INSERT INTO records.${name} (number, price, insured_until)
       SELECT 'P-' || n, n % 1000,
         CASE WHEN n <= $2 THEN DATE '2031-06-01' ELSE DATE '2031-06-02' + (n % 1000) END
       FROM generate_series(1, $1::integer) n`,
      [rows, due],
    )
    await pool.query(`VACUUM ANALYZE records.${name}`)
  }
}

/** Changes of a record with three rules, none of which applies, over those of a record without rules; jobs are not run. */
const measureChanges = async (environment: Environment): Promise<Table> => {
  const service = await environment.startService(['--no-jobs'])
  const changes = (entity: string) => {
    const request = () => ({
      method: 'PATCH' as const,
      path: `/${entity}/${1 + Math.floor(Math.random() * changed)}`,
      body: { price: `${Math.floor(Math.random() * 900_000)}.50` },
    })
    return sampler(async () => 1000 / (await load(service, { request, ms, connections }))['req/s'])
  }
  const [told, plain] = [changes('policy'), changes('plain_policy')]
  await byTurns([told, plain], { rounds, warmUps: 10 })
  await service.stop()
  const ratio = median(told.samples.map((one, at) => one / (plain.samples[at] ?? Number.NaN)))
  return {
    title: `ms of a change, ${connections} connections`,
    rows: [
      {
        what: 'with three rules of change, over without',
        ours: median(told.samples),
        theirs: median(plain.samples),
        ratio,
        'middle half': middleHalfOf(told.samples, plain.samples),
        ...aimOf(ratio, { most: 1.03 }),
      },
    ],
  }
}

const measureDates = async (environment: Environment, rows: number): Promise<Table> => {
  const { project } = await loadProject(environment.project)
  if (!project) throw new Error('The project has errors.')
  const { pool } = environment
  const deps = { pool, catalog: project.catalog, timeZone: 'UTC', observe: () => undefined }
  const at = (time: string) => new Date(`2031-05-${time}:00Z`)
  await pool.query('UPDATE docket.date_schedule SET begins_at = $1, swept_to = $1', [
    at('02T07:58'),
  ])
  const idle: number[] = []
  for (let minute = 0; minute < 50; minute++)
    idle.push(await timed(() => sweepDates(deps, at('02T07:59'))))
  let told = 0
  const took = await timed(async () => {
    told = await sweepDates(deps, at('02T08:00'))
  })
  if (told !== due) throw new Error(`${told} dates are told of, not ${due}.`)
  return {
    title: `ms of a minute, ${rows.toLocaleString('en')} records with a date`,
    rows: [
      { what: 'none is due', ours: median(idle), ...aimOf(median(idle), { most: 5 }) },
      { what: `${due} are due`, ours: took, ...aimOf(took, { most: 3_000 }) },
    ],
  }
}

export const benchRules = async (environment: Environment, rows: number): Promise<Table[]> => {
  await fill(environment, rows)
  note('Filled two tables.\n')
  return [await measureDates(environment, rows), await measureChanges(environment)]
}
