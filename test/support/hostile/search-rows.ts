/** Expensive searches. */
import { filledWith, keys, post, type Row, type Sent, search, times, where } from './a-row.ts'

/** Searches that cost PostgreSQL or the thread more than their size suggests. */
export const searchRows: readonly Row[] = [
  {
    name: 'a column named hundreds of times',
    caller: 'reader',
    send: () => [
      search({ $where: { id: 1 }, $select: times(500, () => 'notes') }),
      search({ $where: { id: 1 }, $orderBy: times(500, () => 'notes') }),
    ],
    allowedStatuses: [400],
  },
  {
    name: 'patterns of backslashes',
    caller: 'reader',
    send: () => times(3, (i) => where({ name: { $like: `${'\\'.repeat(150_000 + i)}a` } })),
    allowedStatuses: [200, 400],
  },
  {
    name: 'a search for a long text in long texts',
    caller: 'clerk',
    concurrency: 10,
    send: () =>
      ['$contains', '$startsWith', '$like', '$ilike'].flatMap((operator) =>
        times(3, () => where({ notes: { [operator]: `${'a'.repeat(100_000)}b` } })),
      ),
    allowedStatuses: [200, 400, 429, 503],
  },
  {
    name: 'a search for a text of allowed length in long texts',
    caller: 'reader',
    concurrency: 4,
    send: () =>
      ['$contains', '$startsWith', '$like', '$ilike'].flatMap((operator) =>
        times(3, () => where({ notes: { [operator]: `${'a'.repeat(200)}b` } })),
      ),
    allowedStatuses: [200, 429, 503],
  },
  {
    name: 'hundreds of thousands of empty groups',
    caller: 'reader',
    send: () =>
      ['$or', '$and'].flatMap((group) =>
        times(5, (i) => where({ [group]: times(300_000 + i, () => ({})) })),
      ),
    allowedStatuses: [400],
  },
  {
    name: 'deeply nested groups',
    caller: 'reader',
    send: () => [
      search(`{"$where":${'{"$not":'.repeat(50_000)}{}${'}'.repeat(50_000)}}`),
      search(`{"$where":${'{"$or":['.repeat(50_000)}{}${']}'.repeat(50_000)}}`),
    ],
    allowedStatuses: [400],
  },
  {
    name: 'a thousand patterns',
    caller: 'reader',
    concurrency: 10,
    send: () =>
      times(10, () => where({ $or: times(1000, (i) => ({ name: { $ilike: `%x${i}` } })) })),
    allowedStatuses: [200, 400, 429, 503],
  },
  {
    name: 'words at their limits in long texts, in one entity and in all',
    caller: 'reader',
    concurrency: 4,
    send: () => {
      const words = times(10, (i) => `${'a'.repeat(98)}${i}`).join(' ')
      return times(5, (): Sent[] => [
        search({ $search: words, $count: true, $aggregate: { max: ['id', 'total'] } }),
        search({ $search: words, $group: ['notes'], $count: 10_001 }),
        { method: 'GET', path: `/api/search?q=${encodeURIComponent(words)}` },
        { method: 'GET', path: '/api/search?q=a&limit=20' },
      ]).flat()
    },
    allowedStatuses: [200, 400, 429, 503],
  },
  {
    name: 'cursors, words and totals that are too large or no such thing',
    caller: 'reader',
    send: () => {
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
    },
    allowedStatuses: [400],
  },
  {
    name: 'searches with always different shapes',
    caller: 'reader',
    send: () =>
      times(200, (i) => where({ $or: times(i + 1, (j) => ({ total: { $gt: `${i * j}.5` } })) })),
    allowedStatuses: [200, 400, 429],
  },
  {
    name: 'values that make backtracking patterns slow',
    caller: 'creator',
    send: () => [
      post('/client', { short: `${'a '.repeat(29)}!` }),
      post('/client', { short: `${'a'.repeat(59)}!` }),
    ],
    allowedStatuses: [400, 422],
  },
]
