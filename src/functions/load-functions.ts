/**
 * Checks the functions of a project: each that a definition names exists, and each can be loaded, in worker processes with the
 * limits of its first call, so that errors of a file are found before something calls it.
 */
import { execFile } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Project } from '../definitions/load-project.ts'
import { notificationHook } from '../definitions/notification-rules.ts'
import type { Finding } from '../definitions/source-file.ts'
import { didYouMean } from '../did-you-mean.ts'
import {
  type FunctionFile,
  type FunctionFiles,
  type FunctionKind,
  findFunctions,
  functionExtensions,
  functionFolders,
} from './find-functions.ts'
import { FunctionError } from './function-call.ts'
import type { OfferedServices } from './function-context.ts'
import { createFunctionPool, type FunctionPool, type PoolOptions } from './function-pool.ts'
import { nativeFunctions, nativePrefix } from './native-functions.ts'

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

/** Findings of the files, and of each name in a definition that matches no file. */
export const checkFunctions = async ({
  directory,
  catalog,
  sources,
}: Pick<Project, 'directory' | 'catalog' | 'sources'>): Promise<Finding[]> => {
  const { files, findings } = await findFunctions(directory)
  for (const [key, source] of sources) {
    const { hooks = [], notifications = [] } = catalog.entities.get(key)?.definition ?? {}
    for (const [index, { functionName }] of hooks.entries()) {
      const message = handlerIssue(files, functionName)
      if (message !== undefined)
        findings.push(source.finding(['hooks', index, 'functionName'], message))
    }
    for (const [index, { attachments }] of notifications.entries())
      for (const [position, name] of (attachments?.documentFunctions ?? []).entries()) {
        const path = ['notifications', index, 'attachments', 'documentFunctions', position]
        const message = documentIssue(files, name)
        if (message !== undefined) findings.push(source.finding(path, message))
      }
  }
  return findings
}

const handlerIssue = ({ handler }: FunctionFiles, name: string): string | undefined =>
  name === notificationHook || handler.has(name)
    ? undefined
    : lacking('handler', name, [...handler.keys(), notificationHook])

const documentIssue = ({ document }: FunctionFiles, name: string): string | undefined => {
  if (document.has(name) || nativeFunctions.has(name)) return undefined
  const known = [...document.keys(), ...nativeFunctions.keys()]
  if (isPathLike(name.startsWith(nativePrefix) ? name.slice(nativePrefix.length) : name))
    return `"${name}" is not a valid function name: it must not contain "..", nor a slash other than that of "${nativePrefix}"`
  if (name.startsWith(nativePrefix))
    return `there is no built-in function "${name}"${didYouMean(name, known) || `; those are ${[...nativeFunctions.keys()].join(', ')}`}`
  return lacking('document', name, known)
}

const isPathLike = (name: string): boolean => /\.\.|[/\\\0]/.test(name)

const lacking = (kind: FunctionKind, name: string, known: readonly string[]): string => {
  const [first = '', ...others] = functionExtensions
  return `there is no file ${functionFolders[kind]}/${name}${first} (nor ${others.join(', ')})${didYouMean(name, known)}`
}
