/** Checks that every function that a definition names exists. */
import type { Project } from '../definitions/load-project.ts'
import { notificationHook } from '../definitions/notification-rules.ts'
import type { Finding } from '../definitions/source-file.ts'
import { didYouMean } from '../did-you-mean.ts'
import {
  type FunctionFiles,
  type FunctionKind,
  findFunctions,
  functionExtensions,
  functionFolders,
} from './find-functions.ts'
import { nativeFunctions, nativePrefix } from './native-functions.ts'

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
