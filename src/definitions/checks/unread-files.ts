/** Files with faults count with what could be read of them, so that other files have no findings because of these faults. */
import { basename, dirname } from 'node:path'
import type { EntityDefinition } from '../schemas/entity-definition.ts'
import type { Finding, Sourced, SourceFile } from '../source-file.ts'
import { readableParts } from './check-entity-shape.ts'

/** Files with errors that define nothing, as `entities/order`. */
export const unreadFiles = (
  findings: readonly Finding[],
  read: readonly Sourced<object>[],
): Set<string> => {
  const files = new Set(read.map(({ source }) => source.file))
  return new Set(
    findings
      .filter(({ severity, file }) => severity === 'error' && !files.has(file))
      .map(({ file }) => `${dirname(file)}/${basename(file, '.json')}`),
  )
}

/** The definitions with those whose files have faults, as far as they could be read: others may lead to them. */
export const withUnread = (
  merged: Map<string, EntityDefinition>,
  entities: readonly SourceFile[],
  unread: Set<string>,
): Map<string, EntityDefinition> => {
  const parsed = new Map(entities.map((source) => [basename(source.file, '.json'), source]))
  for (const file of [...unread].filter((name) => name.startsWith('entities/'))) {
    const name = basename(file)
    const source = parsed.get(name)
    const part = source ? readableParts(source) : { key: name, fields: [] }
    const known = merged.get(part.key)
    unread.add(`entities/${part.key}`)
    if (!known) merged.set(part.key, part)
    else if (part.extends === 'native')
      merged.set(part.key, { ...known, fields: [...known.fields, ...part.fields] })
  }
  return merged
}
