/** Expensive searches. */
import { filledWith, keys, post, type Row, row, type Sent, search, times, where } from './a-row.ts'

/** Searches that cost PostgreSQL or the thread more than their size suggests. */
export const searchRows: readonly Row[] = [
  row('a column named hundreds of times', 'reader', [400], () => [
    search({ $where: { id: 1 }, $select: times(500, () => 'notes') }),
    search({ $where: { id: 1 }, $orderBy: times(500, () => 'notes') }),
  ]),
  row('patterns of backslashes', 'reader', [200, 400], () =>
    times(3, (i) => where({ name: { $like: `${'\\'.repeat(150_000 + i)}a` } })),
  ),
  row(
    'a search for a long text in long texts',
    'clerk',
    [200, 400, 429, 503],
    () =>
      ['$contains', '$startsWith', '$like', '$ilike'].flatMap((operator) =>
        times(3, () => where({ notes: { [operator]: `${'a'.repeat(100_000)}b` } })),
      ),
    { concurrency: 10 },
  ),
  row(
    'a search for a text of allowed length in long texts',
    'reader',
    [200, 429, 503],
    () =>
      ['$contains', '$startsWith', '$like', '$ilike'].flatMap((operator) =>
        times(3, () => where({ notes: { [operator]: `${'a'.repeat(200)}b` } })),
      ),
    { concurrency: 4 },
  ),
  row('hundreds of thousands of empty groups', 'reader', [400], () =>
    ['$or', '$and'].flatMap((group) =>
      times(5, (i) => where({ [group]: times(300_000 + i, () => ({})) })),
    ),
  ),
  row('deeply nested groups', 'reader', [400], () => [
    search(`{"$where":${'{"$not":'.repeat(50_000)}{}${'}'.repeat(50_000)}}`),
    search(`{"$where":${'{"$or":['.repeat(50_000)}{}${']}'.repeat(50_000)}}`),
  ]),
  row(
    'a thousand patterns',
    'reader',
    [200, 400, 429, 503],
    () => times(10, () => where({ $or: times(1000, (i) => ({ name: { $ilike: `%x${i}` } })) })),
    { concurrency: 10 },
  ),
  row(
    'words at their limits in long texts, in one entity and in all',
    'reader',
    [200, 400, 429, 503],
    () => {
      const words = times(10, (i) => `${'a'.repeat(98)}${i}`).join(' ')
      return times(5, (): Sent[] => [
        search({ $search: words, $count: true, $aggregate: { max: ['id', 'total'] } }),
        search({ $search: words, $group: ['notes'], $count: 10_001 }),
        { method: 'GET', path: `/api/search?q=${encodeURIComponent(words)}` },
        { method: 'GET', path: '/api/search?q=a&limit=20' },
      ]).flat()
    },
    { concurrency: 4 },
  ),
  row('cursors, words and totals that are too large or no such thing', 'reader', [400], () => {
    const cursor = (text: string) => Buffer.from(text).toString('base64url')
    return [
      search({ $after: filledWith('A') }),
      search({ $after: cursor('['.repeat(14_000)) }),
      search({ $before: cursor(`[${'[],'.repeat(4000)}[]]`) }),
      search({ $search: filledWith('a ') }),
      search({ $search: '\u0000' }),
      search({ $aggregate: keys(100_000) }),
      search({ $aggregate: { sum: times(500, () => 'total') } }),
      search({ $group: times(100_000, () => 'notes') }),
    ]
  }),
  row('searches with always different shapes', 'reader', [200, 400, 429], () =>
    times(200, (i) => where({ $or: times(i + 1, (j) => ({ total: { $gt: `${i * j}.5` } })) })),
  ),
  row('values that make backtracking patterns slow', 'creator', [400, 422], () => [
    post('/client', { short: `${'a '.repeat(29)}!` }),
    post('/client', { short: `${'a'.repeat(59)}!` }),
  ]),
]
