/** The processes of a PostgreSQL server, by its folder. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The whole server at once, so that no process of it ends its transaction. */
export const killServer = (data: string): void => {
  for (const { pid } of processesOf(data)) send('SIGKILL', pid)
}

/** What is committed from now on reaches no standby, as when a network fails before its server does. */
export const stopSenders = (data: string): void => {
  for (const { pid, title } of processesOf(data))
    if (title.includes('walsender')) send('SIGSTOP', pid)
}

/** The processes of a server, its main process first. */
const processesOf = (data: string): readonly { readonly pid: number; readonly title: string }[] => {
  const file = join(data, 'postmaster.pid')
  if (!existsSync(file)) return []
  const main = String(Number.parseInt(readFileSync(file, 'utf8'), 10))
  const { stdout } = spawnSync('ps', ['-ww', '-o', 'pid=,args=', '--ppid', main], {
    encoding: 'utf8',
  })
  const lines = stdout.split('\n').map((line) => line.trim())
  return [main, ...lines.filter(Boolean)].map((line) => ({
    pid: Number.parseInt(line, 10),
    title: line,
  }))
}

const send = (signal: NodeJS.Signals, pid: number): void => {
  try {
    process.kill(pid, signal)
  } catch {
    // It has just ended.
  }
}
