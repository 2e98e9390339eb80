/** A parsed JSON file of a project that knows the place of each value. */
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import { errorText } from '../errors.ts'

export type JsonPath = readonly (string | number)[]

export type Severity = 'error' | 'warning'

/** One finding of `docket check`. `line` and `column` count from 1. */
export type Finding = {
  readonly file: string
  readonly line: number
  readonly column: number
  /** JSON path inside the file, such as `fields[2].maxLength`; empty for the whole file. */
  readonly path: string
  readonly message: string
  readonly severity: Severity
}

export type SourceFile = {
  /** Path relative to the project's folder. */
  readonly file: string
  readonly value: unknown
  /** Makes a finding at a place of this file. */
  readonly finding: (path: JsonPath, message: string, severity?: Severity) => Finding
}

/** Adds a finding at a place of the file that is checked. */
export type AddFinding = (path: JsonPath, message: string, severity?: Severity) => void

/** A definition with its source file. */
export type Sourced<T> = { readonly source: SourceFile; readonly definition: T }

/** Parses JSON (comments and trailing commas are errors); the value is undefined on a syntax error. */
export const parseSourceFile = (
  file: string,
  text: string,
): { source: SourceFile; findings: Finding[] } => {
  const errors: ParseError[] = []
  const tree = parseTree(text, errors, { disallowComments: true, allowEmptyContent: false })
  const at = (offset: number, path: JsonPath, message: string, severity: Severity = 'error') => ({
    file,
    ...lineAndColumn(text, offset),
    path: printPath(path),
    message,
    severity,
  })
  const commas = new Set<number>()
  const findings = errors.flatMap(({ offset, error }) => {
    const comma = trailingComma(text, offset)
    if (comma === undefined)
      return [at(offset, [], `is not valid JSON here: ${readable(printParseErrorCode(error))}`)]
    if (commas.has(comma)) return []
    commas.add(comma)
    return [at(comma, [], 'is a trailing comma; remove it')]
  })
  if (tree)
    findings.push(
      ...duplicateKeys(tree).map(({ node, path }) =>
        at(node.offset, path, 'is a duplicate property; the first one would be lost'),
      ),
    )
  const source: SourceFile = {
    file,
    value: errors.length === 0 && tree ? getNodeValue(tree) : undefined,
    finding: (path, message, severity) => at(offsetOf(tree, path), path, message, severity),
  }
  return { source, findings }
}

/** `['fields', 2, 'key']` as `fields[2].key`. */
const printPath = (path: JsonPath): string =>
  path.reduce<string>((printed, step) => {
    if (typeof step === 'number') return `${printed}[${step}]`
    return printed === '' ? step : `${printed}.${step}`
  }, '')

/** The printed form of a finding: `file:line:column path message`. */
export const printFinding = (finding: Finding): string =>
  [
    `${finding.file}:${finding.line}:${finding.column}`,
    ...(finding.severity === 'warning' ? ['warning:'] : []),
    ...(finding.path === '' ? [] : [finding.path]),
    finding.message,
  ].join(' ')

/** The JSON files of a folder, those that can be read; none where it does not exist. */
export const readFolder = async (
  directory: string,
  folder: string,
  findings: Finding[],
): Promise<SourceFile[]> => {
  const path = join(directory, folder)
  if (!existsSync(path)) return []
  const names = (await readdir(path)).filter((name) => name.endsWith('.json')).sort()
  const read = await Promise.all(
    names.map(async (name) => {
      const found: Finding[] = []
      return { source: await readSource(directory, join(folder, name), found), found }
    }),
  )
  // In the order of the names, whichever file was read first.
  findings.push(...read.flatMap(({ found }) => found))
  return read.flatMap(({ source }) => source ?? [])
}

/** A file of a project; undefined, with a finding, if it cannot be read. */
export const readSource = async (
  directory: string,
  file: string,
  findings: Finding[],
): Promise<SourceFile | undefined> => {
  try {
    const text = await readFile(join(directory, file), 'utf8')
    const parsed = parseSourceFile(file, text.replace(/^\uFEFF/, ''))
    findings.push(...parsed.findings)
    return parsed.source.value === undefined ? undefined : parsed.source
  } catch (error) {
    findings.push(unreadable(file, error))
    return undefined
  }
}

/** The finding for a file that could not be read. */
export const unreadable = (file: string, error: unknown): Finding =>
  findingOfFile(file, `cannot be read: ${errorText(error)}`)

/** A finding without a place in its file. */
export const findingOfFile = (
  file: string,
  message: string,
  severity: Severity = 'error',
): Finding => ({ file, line: 1, column: 1, path: '', message, severity })

/** Offset of the nearest node that exists on the way to `path`. */
const offsetOf = (tree: Node | undefined, path: JsonPath): number => {
  for (let length = path.length; tree && length > 0; length--) {
    const node = findNodeAtLocation(tree, path.slice(0, length))
    if (!node) continue
    // The finding of a property points at its name.
    return node.parent?.type === 'property' ? node.parent.offset : node.offset
  }
  return tree?.offset ?? 0
}

const duplicateKeys = (node: Node, path: JsonPath = []): { node: Node; path: JsonPath }[] => {
  const found: { node: Node; path: JsonPath }[] = []
  const seen = new Set<string>()
  for (const [index, child] of (node.children ?? []).entries()) {
    if (node.type === 'array') found.push(...duplicateKeys(child, [...path, index]))
    if (child.type !== 'property') continue
    const [name, value] = child.children ?? []
    const key = String(name?.value)
    if (seen.has(key)) found.push({ node: child, path: [...path, key] })
    seen.add(key)
    if (value) found.push(...duplicateKeys(value, [...path, key]))
  }
  return found
}

/** The place of a comma before the end of a list or an object, where the parser reports the end. */
const trailingComma = (text: string, offset: number): number | undefined => {
  if (text[offset] !== '}' && text[offset] !== ']') return undefined
  let before = offset - 1
  while (before > 0 && ' \t\r\n'.includes(text[before] ?? '')) before -= 1
  return text[before] === ',' ? before : undefined
}

const lineAndColumn = (text: string, offset: number) => {
  const before = text.slice(0, offset)
  return {
    line: before.split('\n').length,
    column: offset - (before.lastIndexOf('\n') + 1) + 1,
  }
}

/** `PropertyNameExpected` as `property name expected`. */
const readable = (code: string) => code.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
