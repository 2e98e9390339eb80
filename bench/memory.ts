/** The peak memory of a process and of those that it has started. Linux only. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

type Peak = {
  /** Resident memory of the process when the measurement began; all are undefined without /proc. */
  readonly before: number | undefined
  readonly peak: number | undefined
  readonly growth: number | undefined
  /** Peak of the largest process that it has started. */
  readonly child: number
}

const intervalMs = 20

const settleMs = 3000
const settledMiB = 1

/** A service starts its threads when it is up already, which takes a hundred MiB that no work of it is the cause of. */
const untilSettled = async (pid: number): Promise<void> => {
  for (let [last, now] = [0, Number.NaN]; !(Math.abs(now - last) <= settledMiB); ) {
    last = (await memoryMiB(pid, 'VmRSS')) ?? 0
    await delay(settleMs)
    now = (await memoryMiB(pid, 'VmRSS')) ?? 0
  }
}

/** Resident memory in MiB while the work is done. */
export const watchMemory = async (pid: number, work: () => Promise<unknown>): Promise<Peak> => {
  await untilSettled(pid)
  const before = await memoryMiB(pid, 'VmRSS')
  await Promise.all([pid, ...(await childrenOf(pid))].map(forgetPeak))
  let isWorking = true
  let child = 0
  const watch = async () => {
    while (isWorking) {
      // A child may end before the work does, so its peak is read repeatedly.
      for (const one of await childrenOf(pid))
        child = Math.max(child, (await memoryMiB(one, 'VmHWM')) ?? 0)
      await delay(intervalMs)
    }
  }
  const watching = watch()
  try {
    await work()
  } finally {
    isWorking = false
    await watching
  }
  const peak = await memoryMiB(pid, 'VmHWM')
  return { before, peak, growth: peak && before && peak - before, child }
}

/** The current memory of a process, or its peak. */
export const memoryMiB = async (
  pid: number,
  name: 'VmRSS' | 'VmHWM',
): Promise<number | undefined> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const [, kilobytes] = new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status) ?? []
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024
}

/** The peak counts from now on (proc(5), clear_refs); a process that has just ended has none. */
const forgetPeak = (pid: number): Promise<void> =>
  writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => undefined)

const childrenOf = async (pid: number): Promise<number[]> => {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lists = await Promise.all(
    threads.map((thread) =>
      readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => ''),
    ),
  )
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number))
}
