/** What earlier answers told: ids, tags, keys and names, to be sent again in the right and the wrong place. */
import type { Random } from './random.ts'

export type Memory = {
  /** Keeps what an answer tells. */
  readonly learn: (body: unknown) => void
  readonly keep: (name: string, value: string | number) => void
  /** Something that was told under a name like this one; undefined where nothing was. */
  readonly known: (name: string, random: Random) => string | number | undefined
  /** Something that was told under any name. */
  readonly any: (random: Random) => string | number | undefined
  /** The name of a field of some entity. */
  readonly fieldName: (random: Random) => string
}

const maxValues = 60
const maxNames = 400

/** A memory that knows the names of fields. */
export const createMemory = (fieldNames: readonly string[]): Memory => {
  const told = new Map<string, (string | number)[]>()
  const keep = (name: string, value: string | number) => {
    const values = told.get(name) ?? []
    if (values.includes(value) || (!told.has(name) && told.size >= maxNames)) return
    values.push(value)
    if (values.length > maxValues) values.shift()
    told.set(name, values)
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
    const values = told.get(name)
    return values && random.pick(values)
  }
  return {
    learn: (body) => learn(body),
    keep,
    known: (name, random) => from(alias(name), random),
    any: (random) => (told.size === 0 ? undefined : from(random.pick([...told.keys()]), random)),
    fieldName: (random) => random.pick(fieldNames),
  }
}

/** Under which name of an answer the value of a parameter is told. */
const alias = (name: string): string => {
  if (name === 'ids') return '_id'
  if (name === 'If-Match' || name === 'If-None-Match') return 'etag'
  if (name === 'lastEventId' || name === 'Last-Event-ID') return 'timestamp'
  return /^(entityId|taskId|deliveryId|entity_id|.+_id|id)$/.test(name) ? 'id' : name
}
