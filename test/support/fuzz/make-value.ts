/** A random value that fits a schema. */
import fc from 'fast-check'
import type { Schema } from '../api-document.ts'
import type { Memory } from './memory.ts'
import type { Random } from './random.ts'

export type ValueMaker = {
  readonly random: Random
  readonly memory: Memory
  readonly resolve: (schema: Schema) => Schema
}

const maxDepth = 6

/** Makes a value; `name` is the name of its property or parameter. */
export const makeValue = (maker: ValueMaker, given: Schema, name = '', depth = 0): unknown => {
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

const objectOf = (maker: ValueMaker, schema: Schema, depth: number): object => {
  const { random } = maker
  const result: Record<string, unknown> = {}
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const isRequired = schema.required?.includes(key) === true
    if (isRequired || (depth < maxDepth && random.chance(depth === 0 ? 0.4 : 0.25)))
      result[key] = makeValue(maker, property, key, depth + 1)
  }
  const { additionalProperties } = schema
  if (typeof additionalProperties === 'object' && depth < maxDepth)
    for (let more = random.below(3); more > 0; more--) {
      const key = random.chance(0.8) ? maker.memory.fieldName(random) : 'unknown'
      result[key] = makeValue(maker, additionalProperties, key, depth + 1)
    }
  return result
}

const arrayOf = (maker: ValueMaker, schema: Schema, name: string, depth: number): unknown[] => {
  const minItems = schema.minItems ?? 0
  const more =
    depth < maxDepth ? maker.random.below(Math.min(4, (schema.maxItems ?? 4) - minItems + 1)) : 0
  return Array.from({ length: minItems + more }, () =>
    makeValue(maker, schema.items ?? {}, name, depth + 1),
  )
}

const examplesByPattern = new Map<string, readonly string[]>()

const examplesOf = (pattern: string): readonly string[] => {
  const known = examplesByPattern.get(pattern)
  if (known) return known
  let result: readonly string[] = ['x']
  try {
    result = fc.sample(fc.stringMatching(new RegExp(pattern, 'u')), { numRuns: 50, seed: 1 })
  } catch {
    // No example can be generated for the pattern: other texts are sent.
    result = ['x', 'AB-1', '1']
  }
  examplesByPattern.set(pattern, result)
  return result
}

const textOf = ({ random, memory }: ValueMaker, schema: Schema, name: string): string => {
  const known = memory.known(name, random)
  if (known !== undefined && random.chance(0.7)) return String(known)
  if (schema.pattern !== undefined) return random.pick(examplesOf(schema.pattern))
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

const numberOf = ({ random, memory }: ValueMaker, schema: Schema, name: string): number => {
  const known = memory.known(name, random)
  if (typeof known === 'number' && random.chance(0.5)) return known
  const [lowest, highest] = [schema.minimum ?? -100, schema.maximum ?? 1_000_000]
  // Ids begin with 1: a small number is often an existing id.
  const range = random.chance(0.8) ? Math.min(highest, Math.max(lowest, 0) + 14) : highest
  return Math.max(lowest, 0) + random.below(Math.max(1, range - Math.max(lowest, 0) + 1))
}
