/** The OpenAPI document is valid, complete and matches the responses of the service. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { buildOpenApi } from '../../../src/api/openapi/build-openapi.ts'
import { sections } from '../../../src/api/sections.ts'
import type { Catalog } from '../../../src/definitions/catalog.ts'
import { isPartOfRecord } from '../../../src/definitions/native-entities.ts'
import { exampleFromPattern } from '../../../src/definitions/values/example-from-pattern.ts'
import { exportFormatNames } from '../../../src/export/export-formats.ts'
import { createService } from '../../../src/runtime/create-service.ts'
import { opened } from '../../support/afterwards.ts'
import { compileWithin } from '../../support/api-document.ts'
import { copyExample, startTestService } from '../../support/service.ts'

type Media = { examples?: Record<string, { value: unknown }> }
type Operation = {
  operationId: string
  tags: string[]
  parameters?: { name: string; in: string }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
}
type Schema = { examples?: unknown[]; required?: string[]; properties?: object }
type Document = {
  servers: { url: string }[]
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** No entity of the example has files. */
const inspection = {
  key: 'inspection',
  fields: [
    { key: 'report', type: 'file', required: true, accept: ['application/pdf'] },
    { key: 'photos', type: 'files', maxFiles: 5 },
  ],
}

const service = opened(async () => {
  const directory = await copyExample()
  await writeFile(join(directory, 'entities/inspection.json'), JSON.stringify(inspection))
  return startTestService(directory)
})
const document = opened(async () => documentOf(service.project.catalog))

const documentOf = (from: Catalog, basePath = '') =>
  buildOpenApi({ catalog: from, basePath, projectName: 'Procurement', sections }) as Document

const operations = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  )

const validators = new Map<string, ReturnType<typeof compileSchema>>()

const compileSchema = (name: string) => {
  const validator = compileWithin(document, { $ref: `#/components/schemas/${name}` })
  validators.set(name, validator)
  return validator
}

/** Validates a value with a schema of the document. Returns the errors, or nothing when it is valid. */
const issues = (name: string, value: unknown) => {
  const validator = validators.get(name) ?? compileSchema(name)
  return validator.Check(value) ? [] : validator.Errors(value)
}

test('a strict validator accepts the document, with and without a base path', async () => {
  for (const basePath of ['', '/docket']) {
    const made = documentOf(service.project.catalog, basePath)
    const printed = JSON.parse(JSON.stringify(made))
    const { valid, errors } = await new Validator().validate(printed)
    assert.deepEqual({ valid, errors }, { valid: true, errors: undefined })
    assert.deepEqual(printed, made, 'serializing it to JSON loses nothing')
    assert.deepEqual(made.servers, [{ url: basePath === '' ? '/' : basePath }])
  }
})

test('every reference resolves', () => {
  const text = JSON.stringify(document)
  const references = new Set(
    [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path),
  )
  assert.equal(text.match(/"\$ref":/g)?.length, text.match(/"\$ref":"#\//g)?.length)
  for (const path of references) {
    let found: unknown = document
    for (const part of path.split('/')) found = (found as Record<string, unknown>)[part] ?? {}
    assert.notDeepEqual(found, {}, path)
  }
})

test('every operation has a unique name, a known tag and a parameter for each placeholder', () => {
  const all = operations(document)
  const tags = document.tags.map(({ name }) => name)
  assert.equal(new Set(all.map(({ operation }) => operation.operationId)).size, all.length)
  assert.equal(new Set(tags).size, tags.length)
  for (const { path, operation } of all) {
    assert.ok(tags.includes(operation.tags[0] ?? ''), path)
    const given = (operation.parameters ?? []).filter((one) => one.in === 'path')
    const placeholders = given.map(({ name }) => `{${name}}`)
    assert.deepEqual(placeholders, path.match(/\{\w+\}/g) ?? [], path)
  }
})

test('the examples of every entity match their schemas', () => {
  // Parts of records are created under these.
  for (const key of service.project.catalog.entities.keys())
    for (const name of isPartOfRecord({ key }) ? [key] : [key, `${key}_create`, `${key}_change`]) {
      const [example] = document.components.schemas[name]?.examples ?? []
      assert.ok(example, name)
      assert.deepEqual(issues(name, example), [], name)
    }
})

test('every mounted path is described, and every described path is mounted', async () => {
  const { runtime, database } = service
  const { server, stop } = await createService({ runtime, commands: database.pool })
  const mounted = new Set<string>()
  server.addHook('onRoute', ({ method, url }) => {
    // Routes with several methods only return 405.
    if (Array.isArray(method)) return
    // The schema of a parameter describes its pattern.
    const general = url.replaceAll(/\(\^.*?\$\)/g, '')
    // The pages and files for browsers are not part of the API.
    const isPage = /^\/(api\/docs\/.+|console(\/\*)?|assets\/\*)$/.test(url)
    if (method !== 'HEAD' && !isPage) mounted.add(`${method} ${general}`)
  })
  await server.ready()
  await stop()
  const described = operations(document).map(({ path, method }) => {
    const [, first = '', ...rest] = path.split('/')
    // The document has a path per entity. The service mounts one for all entities.
    const general = service.project.catalog.entities.has(first)
      ? ['', ':entityKey', ...rest].join('/')
      : path
    return `${method.toUpperCase()} ${general.replaceAll(/\{(\w+)\}/g, ':$1')}`
  })
  assert.ok(mounted.has('GET /:entityKey/:entityId/documents/:code'))
  assert.deepEqual([...new Set(described)].sort(), [...mounted].sort())
})

describe('responses of the service', () => {
  test('a record, the caller, the definitions and a history match their schemas', async () => {
    const [example] = document.components.schemas.country_create?.examples ?? []
    const created = await service.ask('POST', '/country', { body: example })
    assert.equal(created.status, 201, created.text)
    assert.deepEqual(issues('country', created.json()), [])
    const path = `/country/${created.json().id}`
    const expanded = await service.ask('GET', `${path}?include=_created_by`)
    assert.deepEqual(issues('country', expanded.json()), [])
    assert.equal(expanded.json().created_by.id, created.json()._created_by)
    const history = await service.ask('GET', `${path}/history`)
    assert.deepEqual(issues('HistoryEntry', history.json().data[0]), [])
    assert.deepEqual(issues('Me', (await service.ask('GET', '/api/me')).json()), [])
    for (const one of (await service.ask('GET', '/api/entities')).json().data)
      assert.deepEqual(issues('EntityDescription', one), [])
  })

  test('every entity accepts the examples of criteria', async () => {
    for (const key of service.project.catalog.entities.keys()) {
      const { requestBody } = document.paths[`/${key}/search`]?.post ?? {}
      const { examples = {} } = requestBody?.content['application/json'] ?? {}
      assert.deepEqual(Object.keys(examples), ['newest', 'filtered'])
      for (const { value: body } of Object.values(examples)) {
        assert.deepEqual(issues('Criteria', body), [])
        assert.equal((await service.ask('POST', `/${key}/search`, { body })).status, 200, key)
      }
    }
  })

  test('an error is a problem response with a documented status', async () => {
    const refused = await service.ask('POST', '/country/search', { body: { $were: 1 } })
    assert.deepEqual(issues('Problem', refused.json()), [])
    const { responses } = document.paths['/country/search']?.post ?? {}
    assert.ok(responses?.[refused.status])
    assert.match(refused.headers.get('Content-Type') ?? '', /^application\/problem\+json/)
  })

  test('an export returns every documented media type', async () => {
    const { content } = document.paths['/country/export']?.post?.responses[200] ?? {}
    assert.equal(Object.keys(content ?? {}).length, exportFormatNames.length)
    for (const type of Object.keys(content ?? {})) {
      const headers = { Accept: type }
      // Many clients accept JSON with every request, so that it has to be asked for by its name.
      const format = type === 'application/json' ? '&format=json' : ''
      const answer = await service.ask('POST', `/country/export?limit=1${format}`, { headers })
      assert.equal(answer.headers.get('Content-Type')?.split(';')[0], type)
    }
  })
})

describe('schemas of request bodies', () => {
  test('contain required fields, reject unknown fields and allow hidden fields to be absent', () => {
    const { supplier } = document.components.schemas
    assert.ok(supplier?.required?.includes('code') && !supplier.required.includes('bank_account'))
    const required = 'title supplier_id order_date cost_center currency_id'
    const { purchase_order_create: create } = document.components.schemas
    assert.equal(create?.required?.join(' '), required)
    assert.deepEqual(issues('purchase_order_change', { notes: null, urgency: 'high' }), [])
    assert.deepEqual(issues('purchase_order_change', { ordered_at: '2026-05-04 10:00:00' }), [])
    for (const body of [{}, { title: null }, { id: 1 }, { urgency: 'hgih' }, { supplier: 1 }])
      assert.notDeepEqual(issues('purchase_order_change', body), [], JSON.stringify(body))
  })

  test('every schema is used', () => {
    const text = JSON.stringify(document)
    for (const name of Object.keys(document.components.schemas))
      assert.ok(text.includes(`"#/components/schemas/${name}"`), name)
  })

  test('examples match the patterns of their fields', () => {
    const patterns = ['^[A-Z]{2}-\\d+$', '(?:a|b)c?[^A-Za-z]{2,}', '\\p{L}+\\.x', '[\\w-]{3}']
    for (const pattern of patterns)
      assert.match(exampleFromPattern(pattern) ?? '', new RegExp(`^(?:${pattern})$`, 'u'))
    assert.equal(exampleFromPattern('(?=x)y'), undefined)
  })
})
