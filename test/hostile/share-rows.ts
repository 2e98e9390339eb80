/** What takes memory, connections and places that all share. */
import { megabytes, post, type Row, times } from './a-row.ts'
import { leftSearches, unfinishedBodies, unreadAnswers, unreadLists } from './held-connections.ts'

/** Texts and answers without an end. */
export const sizes: readonly Row[] = [
  {
    name: 'a list of large records',
    who: 'reader',
    maxBytes: 64_000_000,
    send: () => [
      { method: 'GET', path: '/client?limit=1000' },
      { method: 'GET', path: '/note?limit=1000' },
      post('/client/search?limit=1000', {}),
    ],
    answers: [200, 422],
  },
  {
    name: 'a long text in notifications and e-mails',
    who: 'creator',
    maxBytes: 5_000_000,
    send: () => [
      post('/contract', { number: 'long', body: 'a '.repeat(1_700_000) }),
      post('/contract', { number: 'allowed', body: 'a '.repeat(49_000) }),
      post('/contract', { number: 'markup', body: '<td>|</td>'.repeat(9000) }),
      post('/contract', { number: 'escaped', body: '&'.repeat(99_000) }),
    ],
    answers: [201, 400, 422],
  },
  {
    name: 'records of four megabytes, by who may only create them',
    who: 'creator',
    maxBytes: 5_000_000,
    send: () => times(40, () => post('/note', { text: 'n'.repeat(megabytes) })),
    answers: [201, 400, 413, 422, 429],
  },
]

/** Many at once, of one caller, for what all share. */
export const shares: readonly Row[] = [
  {
    name: 'as many PDFs as one likes',
    who: 'creator',
    atOnce: 300,
    maxBytes: 1_000_000,
    send: () => times(300, () => ({ method: 'GET', path: '/contract/1/documents/contract' })),
    answers: [200, 429, 503],
  },
  {
    name: 'exports, hundreds at once',
    who: 'reader',
    atOnce: 300,
    maxBytes: 64_000_000,
    send: () => times(300, () => post('/client/export', {})),
    answers: [200, 429, 503],
  },
  {
    name: 'sheets of texts that no cell holds',
    who: 'reader',
    atOnce: 8,
    send: () => times(16, () => post('/client/export?format=xlsx', { $where: { name: 'long' } })),
    answers: [200, 422, 429, 503],
  },
  {
    name: 'keys that nobody has, thousands of them',
    who: 'nobody',
    atOnce: 20,
    send: () => times(2000, (i) => ({ method: 'GET', path: '/client', credential: `docket_${i}` })),
    answers: [401, 429],
  },
]

/** Connections that are held on to. */
export const held: readonly Row[] = [
  {
    name: 'bodies that never end',
    who: 'nobody',
    attack: unfinishedBodies(null, 250, [401]),
  },
  {
    name: 'bodies of a caller that never end',
    who: 'creator',
    attack: unfinishedBodies('creator', 250, [408, 503]),
  },
  {
    name: 'exports that nobody reads',
    who: 'reader',
    attack: unreadAnswers('reader', 16),
  },
  {
    name: 'lists that nobody reads',
    who: 'reader',
    attack: unreadLists('reader', 30),
  },
  {
    name: 'long searches that are left',
    who: 'clerk',
    attack: leftSearches(
      'clerk',
      () => ({ $where: { notes: { $like: `%${'a%'.repeat(80)}b` } } }),
      10,
    ),
  },
]
