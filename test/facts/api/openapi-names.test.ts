/** Names of schemas and operations of the OpenAPI document are distinct, whatever the entities are called. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { buildOpenApi } from '../../../src/api/openapi/build-openapi.ts'
import { sections } from '../../../src/api/sections.ts'
import { type Catalog, createEntity } from '../../../src/definitions/catalog.ts'
import { loadProject } from '../../../src/definitions/load-project.ts'

type Document = {
  paths: Record<string, Record<string, { operationId: string }>>
  components: { schemas: Record<string, { properties?: object }> }
}

const { project } = await loadProject(fileURLToPath(new URL('../../../example', import.meta.url)))
assert.ok(project)
const { catalog } = project

const documentOf = (from: Catalog) =>
  buildOpenApi({ catalog: from, basePath: '', projectName: 'Procurement', sections }) as Document

test('schemas differ for an entity whose key is the name of the body of another entity', () => {
  const entities = ['order', 'order_create'].map((key) =>
    createEntity({ key, fields: [{ key: `of_${key}`, type: 'date' }] }, false),
  )
  const made = entities.map((entity) => [entity.key, entity] as const)
  const named = new Map([...catalog.entities, ...made])
  const { schemas } = documentOf({ entities: named, roles: new Map() }).components
  const body = schemas.order_createOfService?.properties ?? {}
  assert.deepEqual(Object.keys(body), ['of_order'])
  assert.ok(Object.keys(schemas.order_create?.properties ?? {}).includes('of_order_create'))
})

test('no names of schemas and operations differ only in case or underscores', () => {
  const entities = ['job', 'criteria', 'problem', 'where', 'task_under_record'].map((key) =>
    createEntity({ key, fields: [{ key: 'title', type: 'string' }] }, false),
  )
  const made = entities.map((entity) => [entity.key, entity] as const)
  const { components, paths } = documentOf({
    entities: new Map([...catalog.entities, ...made]),
    roles: new Map(),
  })
  const ids = Object.values(paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  )
  for (const names of [Object.keys(components.schemas), ids]) {
    const bare = names.map((name) => String(name).replaceAll('_', '').toLowerCase())
    assert.deepEqual(
      bare.filter((name, index) => bare.indexOf(name) !== index),
      [],
    )
  }
  assert.ok(components.schemas.JobOfService && components.schemas.WhereOfService)
})
