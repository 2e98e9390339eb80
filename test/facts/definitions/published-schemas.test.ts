/** The JSON Schemas under schema/ equal those in the code, are valid, and agree with the check. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { publishedSchemas } from '../../../src/definitions/schemas/published-schemas.ts'

const root = new URL('../../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const parsed = (path: string) => JSON.parse(read(path))

test('the files in schema/ equal the generated ones (to update them: npm run schema)', () => {
  const names = Object.keys(publishedSchemas).map((name) => `${name}.json`)
  assert.deepEqual(readdirSync(new URL('schema/', root)).sort(), names.sort())
  for (const [name, schema] of Object.entries(publishedSchemas))
    assert.equal(read(`schema/${name}.json`), `${JSON.stringify(schema, null, 2)}\n`, name)
})

type Schema = { readonly [keyword: string]: unknown }
type Rule = (value: never) => boolean

const isString = (value: unknown) => typeof value === 'string'
const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 0
const isSchema = (value: unknown) => typeof value === 'boolean' || isValid(value as Schema)
const areSchemas = (value: object) => Object.values(value).every(isSchema)

// The keywords of draft 2020-12 that the schemas use, with the values that the draft allows.
const keywords: Readonly<Record<string, Rule>> = {
  $schema: (value) => value === 'https://json-schema.org/draft/2020-12/schema',
  title: isString,
  description: isString,
  type: (value) =>
    ['object', 'array', 'string', 'integer', 'number', 'boolean', 'null'].includes(value),
  const: () => true,
  enum: (value: unknown[]) => Array.isArray(value) && new Set(value).size === value.length,
  pattern: (value: string) => new RegExp(value, 'u') instanceof RegExp,
  minLength: isCount,
  maxLength: isCount,
  minimum: Number.isFinite,
  maximum: Number.isFinite,
  minItems: isCount,
  uniqueItems: (value) => typeof value === 'boolean',
  minProperties: isCount,
  maxProperties: isCount,
  items: isSchema,
  anyOf: (value: unknown[]) => value.length > 0 && value.every(isSchema),
  properties: areSchemas,
  patternProperties: (value: object) =>
    areSchemas(value) && Object.keys(value).every((pattern) => new RegExp(pattern, 'u')),
  additionalProperties: isSchema,
  required: (value: string[]) => value.every(isString) && new Set(value).size === value.length,
}

const isValid = (schema: Schema): boolean =>
  Object.entries(schema).every(([keyword, value]) => {
    assert.ok(keywords[keyword]?.(value as never), `${keyword}: ${JSON.stringify(value)}`)
    return true
  })

for (const name of Object.keys(publishedSchemas))
  test(`schema/${name}.json is a valid schema without additional properties`, () => {
    const schema = parsed(`schema/${name}.json`)
    assert.ok(isValid(schema))
    assert.equal(schema.additionalProperties, false)
  })

const isAccepted = (name: string, value: unknown) =>
  Compile(parsed(`schema/${name}.json`) as TSchema).Check(value)

test('every file of the example project is valid by its schema', () => {
  assert.ok(isAccepted('project', parsed('example/docket.json')))
  for (const [folder, name] of [
    ['entities', 'entity'],
    ['roles', 'role'],
    ['translations', 'translation'],
  ] as const)
    for (const file of readdirSync(new URL(`example/${folder}/`, root)))
      assert.ok(isAccepted(name, parsed(`example/${folder}/${file}`)), file)
})

test('every native entity is valid by the schema', () => {
  const folder = 'src/definitions/native/'
  for (const file of readdirSync(new URL(folder, root)))
    assert.ok(isAccepted('entity', parsed(`${folder}${file}`)), file)
})

test('so are the words of native entities in other languages', () => {
  const folder = 'src/definitions/translations/native/'
  for (const file of readdirSync(new URL(folder, root)))
    assert.ok(isAccepted('translation', parsed(`${folder}${file}`)), file)
})

test('the schemas reject what the check rejects', () => {
  const field = (settings: object) => ({ key: 'a', fields: [{ key: 'b', ...settings }] })
  assert.ok(isAccepted('entity', field({ type: 'string', maxLength: 5 })))
  assert.ok(!isAccepted('entity', field({ type: 'text', pattern: 'a' })))
  assert.ok(!isAccepted('entity', field({ type: 'text', maxLength: 1_000_001 })))
  assert.ok(!isAccepted('entity', field({ type: 'json', maxBytes: 4_000_001 })))
  assert.ok(!isAccepted('entity', field({ type: 'sting' })))
  assert.ok(!isAccepted('entity', { key: 'a', fields: [], nme: 'A' }))
  assert.ok(!isAccepted('role', { key: 'a', permissions: { b: { create: 'own' } } }))
  assert.ok(!isAccepted('project', { timezone: 'UTC' }))
})
