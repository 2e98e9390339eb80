/** Starts the load generator and waits for its result. */
import { fileURLToPath } from 'node:url'
import { runProgram } from '../run-program.ts'
import type { LoadResult, LoadWish } from './load.ts'

const generator = fileURLToPath(new URL('./load.ts', import.meta.url))

/** Load in a process of its own, so that asking takes no time from answering. */
export const runLoad = async (wish: LoadWish): Promise<LoadResult> => {
  const { output } = await runProgram(process.execPath, [generator, JSON.stringify(wish)])
  return JSON.parse(output) as LoadResult
}
