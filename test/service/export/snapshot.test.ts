/** An export has the records of one snapshot, while others write; `long/exports/` has random ones. */
import { test } from 'node:test'
import type { Query, Where } from '../../support/exports/a-random-project.ts'
import { checkExports } from '../../support/exports/checked-exports.ts'

const level: Where = {
  kind: 'leaf',
  leaf: { path: ['link0', 'level'], test: ['$gt', 0] },
}
const removed: Where = {
  kind: 'not',
  part: { kind: 'leaf', leaf: { path: ['_is_deleted'], test: ['$ne', true] } },
}
const isOn: Where = { kind: 'leaf', leaf: { path: ['is_on'], test: ['$eq', null] } }
const all: Query = {
  entity: 0,
  where: undefined,
  orderBy: [],
  limit: undefined,
  page: 1,
  format: 'csv',
}

test('exported ids = ids in the snapshot, with filters over links, orders and pages', () =>
  checkExports({
    entities: [
      { types: ['string', 'decimal', 'json'], links: [1, 0] },
      { types: ['timestamp'], links: [1] },
    ],
    rows: 400,
    // More than all buffers hold: the response is read after others have written.
    hasBallast: true,
    queries: [
      all,
      {
        ...all,
        entity: 1,
        format: 'json',
        where: { kind: 'and', parts: [level, { kind: 'not', part: isOn }] },
        orderBy: [{ path: ['link0', 'level'], descending: true }],
      },
      {
        ...all,
        format: 'parquet',
        where: { kind: 'or', parts: [level, removed] },
        orderBy: [{ path: ['level'], descending: false }],
        limit: 150,
        page: 2,
      },
    ],
  }))
