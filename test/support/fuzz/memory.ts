/** Values of earlier responses: ids, tags, keys and names, to be sent again in valid and invalid places. */
import type { Random } from './random.ts'

export type Memory = {
  /** Keeps the values of a response. */
  readonly learn: (body: unknown) => void
  readonly keep: (name: string, value: string | number) => void
  /** A value that a response had under this name or its alias; undefined when there is none. */
  readonly known: (name: string, random: Random) => string | number | undefined
  /** A value that a response had under any name. */
  readonly any: (random: Random) => string | number | undefined
  /** The name of a field of some entity. */
  readonly fieldName: (random: Random) => string
}

const maxValues = 60
const maxNames = 400

/** Creates a memory that knows these names of fields. */
export const createMemory = (fieldNames: readonly string[]): Memory => {
  const valuesByName = new Map<string, (string | number)[]>()
  const keep = (name: string, value: string | number) => {
    const values = valuesByName.get(name) ?? []
    if (values.includes(value) || (!valuesByName.has(name) && valuesByName.size >= maxNames)) return
    values.push(value)
    if (values.length > maxValues) values.shift()
    valuesByName.set(name, values)
  }
  const learn = (body: unknown, depth = 0): void => {
    if (typeof body !== 'object' || body === null || depth > 4) return
    for (const [name, value] of Object.entries(body).slice(0, 60)) {
      if (typeof value === 'number') keep(name, value)
      else if (typeof value === 'string' && value.length < 200) keep(name, value)
      else learn(value, depth + 1)
    }
  }
  const from = (name: string, random: Random) => {
    const values = valuesByName.get(name)
    return values && random.pick(values)
  }
  return {
    learn: (body) => learn(body),
    keep,
    known: (name, random) => from(alias(name), random),
    any: (random) =>
      valuesByName.size === 0 ? undefined : from(random.pick([...valuesByName.keys()]), random),
    fieldName: (random) => random.pick(fieldNames),
  }
}

/** The name under which responses have the value of a parameter. */
const alias = (name: string): string => {
  if (name === 'ids') return '_id'
  if (name === 'If-Match' || name === 'If-None-Match') return 'etag'
  if (name === 'lastEventId' || name === 'Last-Event-ID') return 'timestamp'
  return /^(entityId|taskId|deliveryId|entity_id|.+_id|id)$/.test(name) ? 'id' : name
}
