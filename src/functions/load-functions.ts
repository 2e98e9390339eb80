/**
 * Loads every function of a project in worker processes, with the limits of its first call, so that
 * errors of a file are found before something calls it.
 */
import { execFile } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Finding } from '../definitions/source-file.ts'
import { type FunctionFile, findFunctions } from './find-functions.ts'
import { FunctionError } from './function-call.ts'
import type { OfferedServices } from './function-context.ts'
import { createFunctionPool, type FunctionPool, type PoolOptions } from './function-pool.ts'

/** Files that are loaded side by side. */
const maxProcesses = 2
const syntaxTimeoutMs = 10_000

/** Only the code outside of `exec` runs here; it has no services. */
const noServices: OfferedServices = {
  exportEntity: () => {
    throw notNow()
  },
  findRecords: () => Promise.reject(notNow()),
  renderDocument: () => Promise.reject(notNow()),
  readFile: () => {
    throw notNow()
  },
}
const notNow = () => new Error('there are no services while a file is loaded')

/** A finding for each file that cannot be loaded, or exports no function, with its line. */
export const loadFunctions = async (
  directory: string,
  { nodeEnv, variables, limits }: Pick<PoolOptions, 'nodeEnv' | 'variables' | 'limits'>,
): Promise<Finding[]> => {
  const { files } = await findFunctions(directory)
  const all = [...files.document.values(), ...files.handler.values()]
  const pool = createFunctionPool({
    services: noServices,
    watch: false,
    variables,
    nodeEnv,
    limits: { ...limits, maxProcesses, maxWaiting: all.length },
    onLogged: () => undefined,
  })
  try {
    return (await Promise.all(all.map((file) => loadOne(pool, file)))).flat()
  } finally {
    await pool.close()
  }
}

const loadOne = async (pool: FunctionPool, file: FunctionFile): Promise<Finding[]> => {
  try {
    await pool.run({ file, subject: undefined })
    return []
  } catch (error) {
    if (!(error instanceof FunctionError)) throw error
    const { functionStack: stack, text } = error
    const place =
      placeIn(stack, file) ??
      (stack?.includes('SyntaxError') ? await placeOfSyntax(file) : undefined) ??
      firstPlace
    return [{ file: file.file, ...place, path: '', message: text, severity: 'error' }]
  }
}

type Place = { readonly line: number; readonly column: number }

const firstPlace: Place = { line: 1, column: 1 }

const placeIn = (stack: string | undefined, { path }: FunctionFile): Place | undefined => {
  for (const name of [pathToFileURL(path).href, path]) {
    const [, rest] = stack?.split(`${name}:`) ?? []
    const [, line, column] = /^(\d+)(?::(\d+))?/.exec(rest ?? '') ?? []
    // For a syntax error, carets mark the place.
    const [, before] = /^( *)\^+$/m.exec(rest ?? '') ?? []
    if (line !== undefined)
      return { line: Number(line), column: Number(column ?? (before?.length ?? 0) + 1) }
  }
  return undefined
}

/** The error of an ES module in JavaScript has no place of a syntax error; `node --check` prints it. */
const placeOfSyntax = async (file: FunctionFile): Promise<Place | undefined> => {
  const checked = await promisify(execFile)(process.execPath, ['--check', file.path], {
    timeout: syntaxTimeoutMs,
    env: {},
  }).catch((error: Error & { stderr?: string }) => error)
  return placeIn(checked.stderr, file)
}
