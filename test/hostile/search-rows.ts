/** Searches that cost much. */
import { post, type Row, search, times, where } from './a-row.ts'

/** Searches that cost PostgreSQL, or the thread, more than they look like. */
export const searches: readonly Row[] = [
  {
    name: 'a column hundreds of times',
    who: 'reader',
    send: () => [
      search({ $where: { id: 1 }, $select: times(500, () => 'notes') }),
      search({ $where: { id: 1 }, $orderBy: times(500, () => 'notes') }),
    ],
    answers: [400],
  },
  {
    name: 'patterns of backslashes',
    who: 'reader',
    send: () => times(3, (i) => where({ name: { $like: `${'\\'.repeat(150_000 + i)}a` } })),
    answers: [200, 400],
  },
  {
    name: 'a long text that is looked for in long texts',
    who: 'clerk',
    atOnce: 10,
    send: () =>
      ['$contains', '$startsWith', '$like', '$ilike'].flatMap((operator) =>
        times(3, () => where({ notes: { [operator]: `${'a'.repeat(100_000)}b` } })),
      ),
    answers: [200, 400, 429, 503],
  },
  {
    name: 'the longest text that may be looked for, in long texts',
    who: 'reader',
    atOnce: 4,
    send: () =>
      ['$contains', '$startsWith', '$like', '$ilike'].flatMap((operator) =>
        times(3, () => where({ notes: { [operator]: `${'a'.repeat(200)}b` } })),
      ),
    answers: [200, 429, 503],
  },
  {
    name: 'empty groups by the hundred thousand',
    who: 'reader',
    send: () =>
      ['$or', '$and'].flatMap((group) =>
        times(5, (i) => where({ [group]: times(300_000 + i, () => ({})) })),
      ),
    answers: [400],
  },
  {
    name: 'groups in groups',
    who: 'reader',
    send: () => [
      search(`{"$where":${'{"$not":'.repeat(50_000)}{}${'}'.repeat(50_000)}}`),
      search(`{"$where":${'{"$or":['.repeat(50_000)}{}${']}'.repeat(50_000)}}`),
    ],
    answers: [400],
  },
  {
    name: 'a thousand patterns',
    who: 'reader',
    atOnce: 10,
    send: () =>
      times(10, () => where({ $or: times(1000, (i) => ({ name: { $ilike: `%x${i}` } })) })),
    answers: [200, 400, 429, 503],
  },
  {
    name: 'searches of ever new shapes',
    who: 'reader',
    send: () =>
      times(200, (i) => where({ $or: times(i + 1, (j) => ({ total: { $gt: `${i * j}.5` } })) })),
    answers: [200, 400, 429],
  },
  {
    name: 'a pattern of a definition that could go back again and again',
    who: 'creator',
    send: () => [
      post('/client', { short: `${'a '.repeat(29)}!` }),
      post('/client', { short: `${'a'.repeat(59)}!` }),
    ],
    answers: [400, 422],
  },
]
