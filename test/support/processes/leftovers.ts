/** What a process with an embedded server leaves behind: the processes of a folder. */
import { spawnSync } from 'node:child_process'
import { until } from '../wait.ts'

/** Processes whose arguments name the folder, and the children of the PostgreSQL of the folder. */
export const processesOf = async (directory: string): Promise<string[]> => {
  const { stdout } = spawnSync('ps', ['-axo', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' })
  const all = stdout.split('\n').map((line) => {
    const [, id = '', parent = '', state = '', args = ''] =
      /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
    return { id, parent, state, args }
  })
  const living = all.filter(({ state, id }) => id !== '' && !state.startsWith('Z'))
  const named = living.filter(({ args }) => args.includes(directory))
  const ids = new Set(named.map(({ id }) => id))
  return living.filter(({ id, parent }) => ids.has(id) || ids.has(parent)).map((one) => one.args)
}

/** Waits until no process of the folder runs; the error names those that do. */
export const untilNothingIsLeft = async (directory: string) => {
  let left: string[] = []
  const findLeftovers = async () => {
    left = await processesOf(directory)
    return left.length === 0
  }
  await until('nothing is left', findLeftovers).catch((error) => {
    throw new Error(`${error.message} Left are:\n${left.join('\n')}`)
  })
}
