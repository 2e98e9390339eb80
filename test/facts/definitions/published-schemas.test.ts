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

// The keywords of draft 2020-12 that the schemas use.
const values =
  `$schema title description type const enum pattern minLength maxLength minimum maximum
  minItems uniqueItems required`.split(/\s+/)
const schemaIn = ['items', 'additionalProperties']
const schemasIn = ['anyOf', 'oneOf', 'properties', 'patternProperties']

const assertKeywords = (schema: unknown): void => {
  if (typeof schema === 'boolean') return
  for (const [keyword, value] of Object.entries(schema as object)) {
    if (keyword === 'pattern') assert.ok(new RegExp(value, 'u'))
    if (schemaIn.includes(keyword)) assertKeywords(value)
    else if (schemasIn.includes(keyword)) Object.values(value).forEach(assertKeywords)
    else assert.ok(values.includes(keyword), keyword)
  }
}

test('the schemas have known keywords, and allow no other properties', () => {
  for (const name of Object.keys(publishedSchemas)) {
    const schema = parsed(`schema/${name}.json`)
    assertKeywords(schema)
    assert.equal(schema.additionalProperties, false)
  }
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

test('so are native entities, and their words in other languages', () => {
  for (const [folder, name] of [
    ['src/definitions/native/', 'entity'],
    ['src/definitions/translations/native/', 'translation'],
  ] as const)
    for (const file of readdirSync(new URL(folder, root)))
      assert.ok(isAccepted(name, parsed(`${folder}${file}`)), file)
})

test('the schemas reject what the check rejects', () => {
  const field = (settings: object) => ({ key: 'a', fields: [{ key: 'b', ...settings }] })
  assert.ok(isAccepted('entity', field({ type: 'string', maxLength: 5 })))
  assert.ok(!isAccepted('entity', field({ type: 'text', pattern: 'a' })))
  assert.ok(!isAccepted('entity', field({ type: 'text', maxLength: 1_000_001 })))
  assert.ok(!isAccepted('entity', field({ type: 'json', maxBytes: 4_000_001 })))
  assert.ok(!isAccepted('entity', field({ type: 'sting' })))
  const rollup = (given: object) => field({ type: 'integer', rollup: given })
  assert.ok(isAccepted('entity', rollup({ count: 'lines', where: { open: true } })))
  assert.ok(!isAccepted('entity', rollup({ where: { open: true } })))
  assert.ok(!isAccepted('entity', rollup({ count: 'lines', sum: 'lines.size' })))
  assert.ok(!isAccepted('entity', { key: 'a', fields: [], nme: 'A' }))
  assert.ok(!isAccepted('role', { key: 'a', permissions: { b: { create: 'own' } } }))
  assert.ok(!isAccepted('project', { timezone: 'UTC' }))
})
