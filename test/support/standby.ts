/** A standby of a server of a test. */
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
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
