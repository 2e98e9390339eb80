/**
 * Unique names of schemas and operations for generated clients, which would convert `task` and `Task`, or
 * `remove_job` and `removeJob`, to the same name.
 */
import type { Schemas } from './operation.ts'

/** What a generator keeps of a name, ignoring case. */
const bare = (name: string): string => name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase()

/** The name, or a variant that is unlike all others. */
export const distinctName = (name: string, others: Iterable<string>): string => {
  const taken = new Set([...others].map(bare))
  let free = name
  while (taken.has(bare(free))) free = `${free}OfService`
  return free
}

/** New names of the service's own schemas if an entity of the project has the same name. */
export const renamedSchemas = (own: Schemas, ofEntities: Schemas): ReadonlyMap<string, string> => {
  const taken = Object.keys(ofEntities)
  return new Map(
    Object.keys(own).flatMap((name) => {
      const free = distinctName(name, taken)
      return free === name ? [] : [[name, free] as const]
    }),
  )
}

const prefix = '#/components/schemas/'

/** A part of the document with references to renamed schemas replaced. */
export const withNewNames = <T>(part: T, names: ReadonlyMap<string, string>): T => {
  if (names.size === 0) return part
  return JSON.parse(JSON.stringify(part), (key, value: unknown) => {
    if (key !== '$ref' || typeof value !== 'string' || !value.startsWith(prefix)) return value
    const name = value.slice(prefix.length)
    return `${prefix}${names.get(name) ?? name}`
  })
}

/** The schemas that the rest of the document refers to. */
export const usedSchemas = (schemas: Schemas, rest: object): Schemas => {
  const used = new Set<string>()
  const visit = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g))
      if (!used.has(name)) {
        used.add(name)
        visit(schemas[name] ?? {})
      }
  }
  visit(rest)
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)))
}
