/** A standby of a server of a test, and an address that leads to one of the two, as a proxy before a cluster does. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '../../src/database/embedded/embedded.ts'
import { createPool } from '../../src/database/pool.ts'
import { afterwards } from './afterwards.ts'

type Primary = {
  readonly connectionString: string
  readonly stop: () => Promise<void>
  readonly start: () => Promise<void>
}

const observe = () => undefined

/** Copies the data of a server that is stopped for it, and starts the copy as its standby. */
export const startStandby = async (
  primary: Primary,
  more: Readonly<Record<string, string>> = {},
) => {
  const data = new URL(primary.connectionString).searchParams.get('host') ?? ''
  const directory = await mkdtemp(join(tmpdir(), 'docket-standby-'))
  afterwards(() => rm(directory, { recursive: true, force: true }))
  await primary.stop()
  const copy = join(directory, 'postgres')
  // With the owner of each file, who runs the server.
  run('cp', ['-a', data, copy])
  run('cp', ['-p', join(copy, 'PG_VERSION'), join(copy, 'standby.signal')])
  await primary.start()
  const { uid, gid } = await stat(data)
  if (process.getuid?.() === 0) run('chown', [`${uid}:${gid}`, directory])
  const primary_conninfo = `host=${data} port=5432 user=docket`
  const settings = { fsync: 'off', primary_conninfo, ...more }
  let server = await startEmbedded({ directory, settings, observe })
  afterwards(() => server.stop())
  const { connectionString } = server
  const pool = createPool({ connectionString, size: 2, observe })
  afterwards(() => pool.end())
  const start = async () => {
    server = await startEmbedded({ directory, settings, observe })
  }
  return { connectionString, pool, start, stop: () => server.stop() }
}

const run = (program: string, args: readonly string[]): void => {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`)
}

/** Listens on a port of its own. A change of where it leads cuts every connection. */
export const startAddress = async (first: string) => {
  let to = new URL(first)
  const sockets = new Set<Socket>()
  const pairs = new Set<readonly [Socket, Socket]>()
  let isFrozen = false
  const server = createServer((client) => {
    const upstream = connect(`${to.searchParams.get('host')}/.s.PGSQL.${to.port || 5432}`)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    pairs.add([client, upstream])
    if (!isFrozen) client.pipe(upstream).pipe(client)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  afterwards(async () => {
    cut()
    server.close()
    await once(server, 'close')
  })
  /** Connections stay and are accepted, and nothing passes: as if the host of the server were suspended. */
  const freeze = (isStill: boolean) => {
    isFrozen = isStill
    for (const [client, upstream] of pairs) {
      if (isStill) client.unpipe(upstream).pause()
      if (isStill) upstream.unpipe(client).pause()
      if (!isStill) client.pipe(upstream).pipe(client)
    }
  }
  const url = new URL(first)
  url.searchParams.delete('host')
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const leadTo = (connectionString: string) => {
    to = new URL(connectionString)
    cut()
  }
  return { connectionString: url.href, leadTo, freeze }
}
