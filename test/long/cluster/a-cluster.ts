/** Three PostgreSQL servers under Patroni and etcd, with a HAProxy and a PgBouncer before them, as the docs recommend them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { chownSync, globSync, openSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPool, type Pool } from '../../../src/database/pool.ts'
import { afterwards } from '../../support/afterwards.ts'
import { endedAfterwards } from '../../support/docket.ts'
import { until } from '../../support/wait.ts'
import { findUser, type Programs } from './find-programs.ts'
import {
  findPlaces,
  type Host,
  hosts,
  type Places,
  placeFile,
  readEnvironment,
} from './place-settings.ts'
import { killServer, stopSenders } from './server-processes.ts'

export type Cluster = {
  /** DATABASE_URL and DATABASE_DIRECT_URL. */
  readonly environment: Readonly<Record<string, string>>
  /** Leads to the primary, as its superuser. */
  readonly pool: Pool
  /** Kills the primary and its Patroni (kill -9) when it has commits that no standby has. Returns its host. */
  readonly killPrimary: () => Promise<Host>
  /** Kills a standby and its Patroni. Returns its host. */
  readonly killStandby: () => Promise<Host>
  /** Starts Patroni on a host again, which starts PostgreSQL. */
  readonly restart: (host: Host) => Promise<void>
  /** Waits until both standbys replicate synchronously. */
  readonly untilWhole: () => Promise<unknown>
  /** What each program wrote last. */
  readonly lastLines: () => string
}

type Start = (
  name: string,
  program: string,
  args: readonly string[],
  environment?: Readonly<Record<string, string>>,
) => ChildProcess

export const startCluster = async (programs: Programs): Promise<Cluster> => {
  const directory = await mkdtemp(join(tmpdir(), 'docket-cluster-'))
  afterwards(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))
  const user = findUser()
  const own = (path: string) => user && chownSync(path, user.uid, user.gid)
  own(directory)
  const write = async (name: string, text: string): Promise<string> => {
    const file = join(directory, name)
    await writeFile(file, text, { mode: 0o600 })
    own(file)
    return file
  }
  const start: Start = (name, program, args, environment = {}) => {
    const log = openSync(join(directory, `${name}.log`), 'a')
    return endedAfterwards(
      spawn(program, args, {
        ...user,
        cwd: directory,
        env: { PATH: process.env.PATH, HOME: directory, LANG: 'C.UTF-8', ...environment },
        stdio: ['ignore', log, log],
      }),
    )
  }
  const places = await findPlaces()
  for (const host of hosts) await startEtcd({ directory, places, start, programs }, host)
  const servers = await startServers({ directory, places, start, programs, write })
  await startAddresses({ places, start, programs, write })
  const superuser = `postgres://postgres:${places.password}@127.0.0.1:${places.proxy}/postgres`
  const pool = createPool({ connectionString: superuser, size: 2, observe: () => undefined })
  afterwards(() => pool.end())
  try {
    await until('the cluster is whole', () => isWhole(places))
    await until('HAProxy leads to the primary', () => isPrimary(pool))
  } catch (error) {
    console.error(lastLinesIn(directory))
    throw error
  }
  await pool.query(`CREATE ROLE docket LOGIN PASSWORD '${places.password}'`)
  await pool.query('CREATE DATABASE shop OWNER docket')
  return {
    environment: readEnvironment(await placeFile('docket.env', places)),
    pool,
    killPrimary: async () => {
      const host = await hostOf('leader', places)
      servers.stopSending(host)
      await until('a commit waits for a standby', () => waitsForStandby(pool))
      servers.kill(host)
      return host
    },
    killStandby: async () => {
      const host = await hostOf('sync_standby', places)
      servers.kill(host)
      return host
    },
    restart: servers.start,
    untilWhole: () => until('the cluster is whole again', () => isWhole(places)),
    lastLines: () => lastLinesIn(directory),
  }
}

const lastLinesIn = (directory: string): string =>
  globSync('*.log', { cwd: directory })
    .map((name) => {
      const lines = readFileSync(join(directory, name), 'utf8').split('\n')
      return `${name}\n${lines.slice(-30).join('\n')}`
    })
    .join('\n\n')

type Setup = {
  readonly directory: string
  readonly places: Places
  readonly start: Start
  readonly programs: Programs
}
type Writing = { readonly write: (name: string, text: string) => Promise<string> }

const startEtcd = async ({ directory, places, start, programs }: Setup, host: Host) => {
  const data = { '/var/lib/etcd/shop': join(directory, `etcd-${host}-data`) }
  const text = await placeFile('etcd.env', places, host, data)
  start(`etcd-${host}`, programs.etcd, [], readEnvironment(text))
}

/** Patroni creates the data of the first server, and copies them to the others. */
const startServers = async ({ directory, places, start, programs, write }: Setup & Writing) => {
  const sockets = { '/var/run/postgresql': directory }
  const settings = await placeFile('patroni.yaml', places, undefined, sockets)
  const file = await write('patroni.yaml', settings)
  const running = new Map<Host, ChildProcess>()
  const dataOf = (host: Host) => join(directory, `data-${host}`)
  const startOne = async (host: Host) => {
    const text = await placeFile('patroni.env', places, host, {
      '/usr/lib/postgresql/15/bin': programs.postgres,
      '/var/lib/postgresql/15/shop': dataOf(host),
      '/var/lib/postgresql/.pgpass-patroni': join(directory, `pgpass-${host}`),
    })
    running.set(host, start(`patroni-${host}`, programs.patroni, [file], readEnvironment(text)))
  }
  const kill = (host: Host) => {
    running.get(host)?.kill('SIGKILL')
    killServer(dataOf(host))
  }
  const killAll = () => hosts.forEach(kill)
  process.once('exit', killAll)
  afterwards(async () => {
    killAll()
    process.off('exit', killAll)
  })
  for (const host of hosts) await startOne(host)
  return { start: startOne, kill, stopSending: (host: Host) => stopSenders(dataOf(host)) }
}

const waitsForStandby = async (pool: Pool): Promise<boolean> => {
  const { rowCount } = await pool.query(
    `SELECT FROM pg_stat_activity WHERE datname = 'shop' AND wait_event = 'SyncRep'`,
  )
  return (rowCount ?? 0) > 0
}

const startAddresses = async ({
  places,
  start,
  programs,
  write,
}: Omit<Setup, 'directory'> & Writing) => {
  const proxy = await write('haproxy.cfg', await placeFile('haproxy.cfg', places))
  start('haproxy', programs.haproxy, ['-db', '-f', proxy])
  const users = await write('userlist.txt', `"docket" "${places.password}"\n`)
  const paths = { '/etc/pgbouncer/userlist.txt': users }
  const pooler = await write(
    'pgbouncer.ini',
    await placeFile('pgbouncer.ini', places, undefined, paths),
  )
  start('pgbouncer', programs.pgbouncer, [pooler])
}

type Member = {
  readonly name: Host
  readonly role: string
  readonly state: string
  readonly lag?: number
}

/** The members as Patroni of any host sees them. */
const membersOf = async ({ portOf }: Places): Promise<readonly Member[]> => {
  for (const host of hosts) {
    const url = `http://127.0.0.1:${portOf(host, 8008)}/cluster`
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined)
    if (response?.ok) return ((await response.json()) as { members: Member[] }).members
  }
  return []
}

const isWhole = async (places: Places): Promise<boolean> => {
  const members = await membersOf(places)
  const roles = members.filter(isUp).map(({ role }) => role)
  return String(roles.sort()) === 'leader,sync_standby,sync_standby'
}

const isUp = ({ state, role, lag }: Member): boolean =>
  ['running', 'streaming'].includes(state) && (role === 'leader' || lag === 0)

const hostOf = async (role: string, places: Places): Promise<Host> => {
  const host = (await membersOf(places)).find((member) => member.role === role)?.name
  if (host === undefined) throw new Error(`No server is a ${role}.`)
  return host
}

const isPrimary = (pool: Pool): Promise<boolean> =>
  pool.query<{ is_standby: boolean }>('SELECT pg_is_in_recovery() AS is_standby').then(
    ({ rows }) => rows[0]?.is_standby === false,
    () => false,
  )
