/** `GET /api/search` rejects what it does not understand, and says which parameter that is. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { invalidPaths, sharedProject } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'

let service: TestService
before(async () => {
  service = await sharedProject()
})

const queries: readonly [string, string][] = [
  [`q=${'x'.repeat(101)}`, 'q'],
  [`q=${'a+'.repeat(11)}`, 'q'],
  ['q=a%00b', 'q'],
  ['q=a&limit=0', 'limit'],
  ['q=a&limit=21', 'limit'],
  ['q=a&entities=order', 'entities'],
]
for (const [query, path] of queries)
  test(query.slice(0, 40), async () => {
    assert.deepEqual(invalidPaths(await service.ask('GET', `/api/search?${query}`), 400), [path])
  })
