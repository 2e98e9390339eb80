/** Plans of exports: which columns follow links, and how many they may be. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEntity } from '../../../src/definitions/catalog.ts'
import { planExport } from '../../../src/export/plan-export.ts'
import { fullAccess } from '../../../src/query/access.ts'
import { parseCriteria } from '../../../src/query/criteria/parse-criteria.ts'
import { criteriaIssues } from '../../support/query/a-catalog.ts'

test('an export with the names of 100 links is planned; one of more is refused, and other columns can be chosen', () => {
  const exportOf = (links: number, body: object = {}, isNamed = true) => {
    const place = createEntity(
      {
        key: 'place',
        displayField: 'code',
        fields: [{ key: 'code', type: 'string', required: true, unique: true }],
      },
      false,
    )
    const fields = Array.from(
      { length: links },
      (_, at) => ({ key: `place_${at}`, type: 'manyToOne', entity: 'place' }) as const,
    )
    const entity = createEntity({ key: 'journey', fields }, false)
    const entities = new Map([place, entity].map((one) => [one.key, one]))
    return planExport({
      catalog: { entities, roles: new Map() },
      entity,
      access: fullAccess,
      scope: 'all',
      criteria: parseCriteria(body, 'rows'),
      page: undefined,
      isNamed,
      timeZone: 'Europe/Zagreb',
    })
  }
  assert.equal(exportOf(100).select.joins.length, 100)
  assert.deepEqual(
    criteriaIssues(() => exportOf(101)),
    [
      {
        path: 'names',
        message:
          'leads through more than 100 associations in total; ask for fewer of them, or for fewer columns',
      },
    ],
  )
  assert.equal(exportOf(101, { $select: ['place_0', 'place_100'] }).select.joins.length, 2)
  assert.equal(exportOf(101, {}, false).select.joins.length, 0)
})
