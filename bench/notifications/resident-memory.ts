/** The memory of a process, from /proc; so on Linux only. */
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

/** What a process has in memory now, MiB. */
export const residentMiB = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

const everyMs = 20

/** Looks again and again until it is stopped, which answers the most that it saw. */
export const watchResidentMiB = (pid: number): { readonly stop: () => Promise<number> } => {
  let isStopped = false
  const look = async () => {
    let most = 0
    while (!isStopped) {
      most = Math.max(most, await residentMiB(pid))
      await delay(everyMs)
    }
    return Math.max(most, await residentMiB(pid))
  }
  const ended = look()
  ended.catch(() => undefined)
  return {
    stop: () => {
      isStopped = true
      return ended
    },
  }
}
