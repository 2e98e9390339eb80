/** A value that fits a schema, by chance; places that cannot be filled by rule get an example. */
import fc from 'fast-check'
import type { Schema } from './api-document.ts'
import type { Memory } from './memory.ts'
import type { Random } from './random.ts'

export type Maker = {
  readonly random: Random
  readonly memory: Memory
  readonly resolve: (schema: Schema) => Schema
}

const maxDepth = 6

/** Makes a value; `name` is that of the property or parameter that it is for. */
export const makeValue = (maker: Maker, given: Schema, name = '', depth = 0): unknown => {
  const { random, resolve } = maker
  const schema = resolve(given)
  if (schema.const !== undefined) return schema.const
  if (schema.enum && schema.enum.length > 0) return random.pick(schema.enum)
  if (schema.examples && schema.examples.length > 0 && random.chance(0.5))
    return random.pick(schema.examples)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices && choices.length > 0) return makeValue(maker, random.pick(choices), name, depth)
  if (schema.allOf)
    return Object.assign({}, ...schema.allOf.map((one) => makeValue(maker, one, name, depth)))
  const type =
    typeof schema.type === 'string' || !schema.type ? schema.type : random.pick(schema.type)
  switch (type ?? (schema.properties ? 'object' : undefined)) {
    case 'object':
      return objectOf(maker, schema, depth)
    case 'array':
      return arrayOf(maker, schema, name, depth)
    case 'string':
      return textOf(maker, schema, name)
    case 'integer':
      return Math.floor(numberOf(maker, schema, name))
    case 'number':
      return numberOf(maker, schema, name)
    case 'boolean':
      return random.chance(0.5)
    case 'null':
      return null
    default:
      return random.pick([null, 1, 'x', true, [1], { a: 1 }])
  }
}

const objectOf = (maker: Maker, schema: Schema, depth: number): object => {
  const { random } = maker
  const made: Record<string, unknown> = {}
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const isNeeded = schema.required?.includes(key) === true
    if (isNeeded || (depth < maxDepth && random.chance(depth === 0 ? 0.4 : 0.25)))
      made[key] = makeValue(maker, property, key, depth + 1)
  }
  const { additionalProperties } = schema
  if (typeof additionalProperties === 'object' && depth < maxDepth)
    for (let more = random.below(3); more > 0; more--) {
      const key = random.chance(0.8) ? maker.memory.fieldName(random) : 'unknown'
      made[key] = makeValue(maker, additionalProperties, key, depth + 1)
    }
  return made
}

const arrayOf = (maker: Maker, schema: Schema, name: string, depth: number): unknown[] => {
  const least = schema.minItems ?? 0
  const more =
    depth < maxDepth ? maker.random.below(Math.min(4, (schema.maxItems ?? 4) - least + 1)) : 0
  return Array.from({ length: least + more }, () =>
    makeValue(maker, schema.items ?? {}, name, depth + 1),
  )
}

const matching = new Map<string, readonly string[]>()

const matchesOf = (pattern: string): readonly string[] => {
  const known = matching.get(pattern)
  if (known) return known
  let made: readonly string[] = ['x']
  try {
    made = fc.sample(fc.stringMatching(new RegExp(pattern, 'u')), { numRuns: 50, seed: 1 })
  } catch {
    // A pattern that cannot be written backwards: something else is sent.
    made = ['x', 'AB-1', '1']
  }
  matching.set(pattern, made)
  return made
}

const textOf = ({ random, memory }: Maker, schema: Schema, name: string): string => {
  const known = memory.known(name, random)
  if (known !== undefined && random.chance(0.7)) return String(known)
  if (schema.pattern !== undefined) return random.pick(matchesOf(schema.pattern))
  const day = `20${10 + random.below(40)}-0${1 + random.below(9)}-1${random.below(10)}`
  const time = `${day}T1${random.below(10)}:30:00.${100 + random.below(900)}Z`
  if (schema.format === 'date') return day
  if (schema.format === 'date-time') return time
  if (schema.format === 'email') return `p${random.below(1000)}@example.com`
  if (/^(include|sort|\$orderBy|\$select)$/.test(name)) {
    const path =
      memory.fieldName(random) + (random.chance(0.2) ? `.${memory.fieldName(random)}` : '')
    return (random.chance(0.3) ? '-' : '') + path
  }
  const words = [
    'a',
    'Ada',
    'text of some length',
    'Žofija',
    `n${random.below(1e6)}`,
    '1',
    '1.50',
    day,
    time,
  ]
  return random
    .pick(words)
    .padEnd(schema.minLength ?? 0, 'x')
    .slice(0, schema.maxLength)
}

const numberOf = ({ random, memory }: Maker, schema: Schema, name: string): number => {
  const known = memory.known(name, random)
  if (typeof known === 'number' && random.chance(0.5)) return known
  const [least, most] = [schema.minimum ?? -100, schema.maximum ?? 1_000_000]
  // Ids begin with 1: a small number is often one that is there.
  const range = random.chance(0.8) ? Math.min(most, Math.max(least, 0) + 14) : most
  return Math.max(least, 0) + random.below(Math.max(1, range - Math.max(least, 0) + 1))
}
