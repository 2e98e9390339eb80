/** Keeps compiled files between starts: compiling takes half of the processor time of a start. */
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

/** Beside the code: whoever may write there may change the code as well. */
const folder = fileURLToPath(new URL('../../node_modules/.cache/docket', import.meta.url))

/**
 * For files that are loaded from now on, also by threads. Nothing is kept where the folder cannot be written, or
 * where NODE_COMPILE_CACHE, which Node.js reads itself, names another or none.
 */
export const keepCompiled = (): void => {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return
  // Threads inherit the environment.
  if (enableCompileCache(folder).directory !== undefined) process.env.NODE_COMPILE_CACHE = folder
}
