/** Requests that write many records, and saved queries that are expensive to check. */
import { keys, post, type Row, row, times } from './a-row.ts'

const ids = times(1000, (index) => index + 1)

const nested = (levels: number): object =>
  levels === 0 ? { name: 'x' } : { $and: [nested(levels - 1)] }

export const manyRecordsRows: readonly Row[] = [
  row(
    'concurrent bulk writes of the same thousand records',
    'creator',
    [200, 503],
    () =>
      times(8, (index) =>
        post('/client/bulk', {
          ids: index % 2 === 0 ? ids : ids.toReversed(),
          // Other rows need the long notes of the records.
          do: {
            change: index < 4 ? { short: 'a'.repeat(40 + index) } : { notes: 'n'.repeat(16_000) },
          },
          dryRun: index >= 4,
        }),
      ),
    { concurrency: 8, maxBytes: 1_000_000 },
  ),
  row(
    'a bulk write whose every record has many issues',
    'creator',
    [200, 400, 422],
    () => [
      post('/client/bulk', { ids, do: { action: 'end', values: keys(1500) } }),
      post('/client/bulk', { ids, do: { action: 'end', values: keys(9000) } }),
      post('/client/bulk', { ids, do: { change: keys(9000) } }),
    ],
    { maxBytes: 2_000_000 },
  ),
  row('a bulk write with very many ids, versions or properties', 'creator', [400], () => [
    post('/client/bulk', { ids: times(300_000, () => 1), do: { remove: true } }),
    post('/client/bulk', { ids: times(1000, () => 'x'), do: { remove: true } }),
    post('/client/bulk', { ids, do: { remove: true }, versions: keys(9000) }),
    post('/client/bulk', { criteria: keys(9000), do: keys(9000) }),
    post('/client/bulk', keys(9000)),
  ]),
  row(
    'a question for the actions of very many records',
    'reader',
    [200, 400],
    () => [
      ...times(8, () => post('/client/actions', { ids: times(100, (index) => index + 1) })),
      post('/client/actions', { ids: times(300_000, (index) => index + 1) }),
      post('/client/actions', { ids: times(100, () => 'x') }),
      post('/client/actions', keys(9000)),
    ],
    { concurrency: 8 },
  ),
  row('saved views with very many names or levels', 'reader', [400, 422], () =>
    [
      { criteria: { $where: keys(9000) } },
      { criteria: { $where: nested(30) } },
      { criteria: keys(9000) },
      { criteria: { $orderBy: times(9000, () => 'name') } },
      { columns: times(9000, () => 'name') },
      { columns: times(400, (index) => `${'parent.'.repeat(index)}name`) },
    ].map((values) => post('/saved_view', { entity_key: 'client', name: 'x', ...values })),
  ),
  row(
    'settings of the console with very many names, levels or characters, at the same time',
    'reader',
    [200, 400],
    () =>
      times(60, (index) => ({
        method: 'PATCH',
        path: '/console/-/settings.json',
        body: [
          keys(9000),
          { nested: nested(5000) },
          { long: 'a'.repeat(60_000) },
          { long: 'a'.repeat(900_000) },
          { list: times(30_000, () => 1) },
          keys(200),
        ][index % 6],
      })),
    { concurrency: 20 },
  ),
  row(
    'searches for people by many words and wildcards',
    'reader',
    [200, 400],
    () =>
      times(100, (index) => ({
        method: 'GET',
        path: `/api/people?limit=50&q=${encodeURIComponent('%_ \\'.repeat(25).slice(index % 50))}`,
      })),
    { concurrency: 20 },
  ),
  row(
    'approvals, page after page',
    'creator',
    [200],
    () =>
      times(60, (index) => ({
        method: 'GET',
        path: `/api/approvals?limit=1000&page=${index + 1}`,
      })),
    { concurrency: 20, maxBytes: 2_000_000 },
  ),
]
