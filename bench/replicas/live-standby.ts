/** A standby of the server of a benchmark, copied while that runs (PostgreSQL's manual, 25.3.3). */
import { spawnSync } from 'node:child_process'
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '../../src/database/embedded/embedded.ts'
import type { Environment } from '../environment.ts'

/** Starts it; it follows the server until it is stopped. */
export const startLiveStandby = async ({ databaseUrl, pool, project }: Environment) => {
  const data = new URL(databaseUrl).searchParams.get('host') ?? ''
  const directory = await mkdtemp(join(tmpdir(), 'docket-bench-standby-'))
  const copy = join(directory, 'postgres')
  const connection = await pool.connect()
  try {
    await connection.query(`SELECT pg_backup_start('benchmark', true)`)
    // With the owner of each file, who runs the server. What vanishes meanwhile is not needed.
    spawnSync('cp', ['-a', data, copy])
    const { rows } = await connection.query<{ labelfile: string }>(
      'SELECT labelfile FROM pg_backup_stop(false)',
    )
    await writeFile(join(copy, 'backup_label'), rows[0]?.labelfile ?? '')
  } finally {
    connection.release(true)
  }
  await rm(join(copy, 'postmaster.pid'), { force: true })
  await writeFile(join(copy, 'standby.signal'), '')
  const { uid, gid } = await stat(data)
  if (process.getuid?.() === 0) {
    spawnSync('chown', ['-R', `${uid}:${gid}`, directory])
    // The servers of root run as another user, who has to reach the socket.
    await chmod(project, 0o711)
  }
  const settings = { fsync: 'off', primary_conninfo: `host=${data} port=5432 user=docket` }
  const server = await startEmbedded({ directory, settings, observe: () => undefined })
  return {
    connectionString: server.connectionString,
    stop: async () => {
      await server.stop()
      await rm(directory, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}
