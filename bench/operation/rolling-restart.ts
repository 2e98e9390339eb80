/** Four processes behind a balancer, restarted one after the other under load. */
import { startBalancer } from '../../test/support/balancer.ts'
import { startSteadyRequests } from '../../test/support/steady-requests.ts'
import type { Environment, Service } from '../environment.ts'
import { spreadOf } from '../figures.ts'
import { openClient } from '../http-client.ts'
import { aimOf, note, type Table } from '../report.ts'

const processes = 4
const perSecond = 200

const start = (environment: Environment, port = '0'): Promise<Service> =>
  environment.startService(['--no-jobs'], {
    PORT: port,
    DATABASE_POOL_SIZE: '5',
    // The balancer notices after two failed checks in 0.2 seconds.
    DRAIN_SECONDS: '1',
  })

/** Half of the requests read a country, half create one, each with a key of its own. */
export const measureRollingRestart = async (environment: Environment): Promise<Table> => {
  note(`Restarting ${processes} processes, one after the other …\n`)
  const services: Service[] = []
  for (let n = 0; n < processes; n++) services.push(await start(environment))
  const balancer = await startBalancer(services.map(({ url }) => url))
  for (const { url } of services) await balancer.untilTaken(url)
  const send = openClient({ url: balancer.url, token: services[0]?.token ?? '' })
  const create = (turn: number) =>
    send({
      method: 'POST',
      path: '/country',
      headers: { 'Idempotency-Key': `restart-${turn}` },
      body: { code: `R${turn}`, name: 'Restarted' },
    })
  const read = () => send({ path: '/country?limit=5' })
  const requests = startSteadyRequests({
    perSecond,
    send: (turn) => (turn % 2 === 0 ? create(turn) : read()),
  })
  const begun = performance.now()
  for (const { url, stop } of services) {
    await stop()
    await start(environment, new URL(url).port)
    await balancer.untilTaken(url)
  }
  const seconds = (performance.now() - begun) / 1000
  const { count, failures, times } = await requests.stop()
  await balancer.close()
  for (const text of new Set(failures)) note(`Failed: ${text}\n`)
  const { rows } = await environment.pool.query<{ lost: number }>(
    `SELECT ${Math.ceil(count / 2)} - count(*)::int AS lost FROM records.country WHERE name = 'Restarted'`,
  )
  return {
    title: `${processes} processes restarted in turn at ${perSecond} requests/s`,
    rows: [
      { what: 'failed requests', value: failures.length, ...aimOf(failures.length, { most: 0 }) },
      { what: 'creates without a record', value: rows[0]?.lost },
      { what: 'requests', value: count },
      { what: 'seconds', value: seconds },
      { what: 'p50, ms', value: spreadOf(times).p50 },
      { what: 'p99, ms', value: spreadOf(times).p99 },
      { what: 'max, ms', value: spreadOf(times).max },
    ],
  }
}
