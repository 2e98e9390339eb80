/** Loads the module of a function, once per thread, and checks what it exports. */
import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import type { FunctionKind } from './find-functions.ts'
import type { DocumentFunction, MessageHandler } from './function-context.ts'

type FunctionModule = {
  readonly exec: DocumentFunction | MessageHandler
  readonly timeoutMs: number
}

/** A module that is not a function; the message continues its name. */
export class ModuleIssue extends Error {
  override name = 'ModuleMistake'
}

const handlerTimeoutMs = 5000
const maxTimeoutMs = 3_600_000

/** Throws what the module throws, or a ModuleMistake. */
export const loadModule = async (path: string, kind: FunctionKind): Promise<FunctionModule> => {
  const found: Exports = await import(pathToFileURL(path).href)
  const { exec, timeout } = exportsOf(found)
  if (typeof exec !== 'function')
    throw new ModuleIssue(`exports ${shown(exec)} as "exec" instead of a function`)
  return { exec: exec as FunctionModule['exec'], timeoutMs: timeoutOf(timeout, kind) }
}

/** What mends an ES module that was read as CommonJS: `npm init` writes the type; without one, Node.js looks at the syntax. */
export const howToLoad = (path: string, error: unknown): string => {
  if (!(error instanceof SyntaxError) || !/\.(ts|js)$/.test(path)) return ''
  if (!/\b(export|import|await)\b/.test(error.message)) return ''
  const file = findPackageJSON(pathToFileURL(path))
  if (file === undefined || JSON.parse(readFileSync(file, 'utf8')).type !== 'commonjs') return ''
  return `; ${file} has "type": "commonjs": write "type": "module" there, or run "npm pkg set type=module"`
}

/** Names that CommonJS computes are only in its default, and a default that was compiled to CommonJS is in the default of that. */
const exportsOf = (found: Exports): Exports => {
  const outer = defaultOf(found)
  return [found, outer, defaultOf(outer)].find((one) => 'exec' in one) ?? outer
}

type Exports = Readonly<Record<string, unknown>>

const defaultOf = ({ default: inner }: Exports): Exports =>
  typeof inner === 'object' && inner !== null ? (inner as Exports) : {}

const timeoutOf = (timeout: unknown, kind: FunctionKind): number => {
  if (timeout === undefined && kind === 'handler') return handlerTimeoutMs
  if (typeof timeout === 'number' && timeout > 0 && timeout <= maxTimeoutMs) return timeout
  throw new ModuleIssue(
    `exports ${shown(timeout)} as "timeout" instead of milliseconds above 0, at most ${maxTimeoutMs}`,
  )
}

const shown = (value: unknown): string =>
  value === undefined ? 'nothing' : inspect(value, { depth: 0 }).slice(0, 60)
