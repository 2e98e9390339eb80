/** Requests for shared resources: memory and worker slots. */
import { megabytes, post, type Row, times } from './a-row.ts'

/** Very large texts and responses. */
export const sizeRows: readonly Row[] = [
  {
    name: 'a list of large records',
    caller: 'reader',
    maxBytes: 64_000_000,
    send: () => [
      { method: 'GET', path: '/client?limit=1000' },
      { method: 'GET', path: '/note?limit=1000' },
      post('/client/search?limit=1000', {}),
    ],
    allowedStatuses: [200, 422],
  },
  {
    name: 'a long text in notifications and e-mails',
    caller: 'creator',
    maxBytes: 5_000_000,
    send: () => [
      post('/contract', { number: 'long', body: 'a '.repeat(1_700_000) }),
      post('/contract', { number: 'allowed', body: 'a '.repeat(49_000) }),
      post('/contract', { number: 'markup', body: '<td>|</td>'.repeat(9000) }),
      post('/contract', { number: 'escaped', body: '&'.repeat(99_000) }),
    ],
    allowedStatuses: [201, 400, 422],
  },
  {
    name: 'records of four megabytes by a caller who may only create them',
    caller: 'creator',
    maxBytes: 5_000_000,
    send: () => times(40, () => post('/note', { text: 'n'.repeat(megabytes) })),
    allowedStatuses: [201, 400, 413, 422, 429],
  },
]

/** Many concurrent requests of one caller for shared resources. */
export const sharedResourceRows: readonly Row[] = [
  {
    name: '300 concurrent PDFs',
    caller: 'creator',
    concurrency: 300,
    maxBytes: 1_000_000,
    send: () => times(300, () => ({ method: 'GET', path: '/contract/1/documents/contract' })),
    allowedStatuses: [200, 429, 503],
  },
  {
    name: '300 concurrent exports',
    caller: 'reader',
    concurrency: 300,
    maxBytes: 64_000_000,
    send: () => times(300, () => post('/client/export', {})),
    allowedStatuses: [200, 429, 503],
  },
  {
    name: 'xlsx exports of texts that exceed a cell',
    caller: 'reader',
    concurrency: 8,
    send: () => times(16, () => post('/client/export?format=xlsx', { $where: { name: 'long' } })),
    allowedStatuses: [200, 422, 429, 503],
  },
  {
    name: 'thousands of wrong API keys',
    caller: 'anonymous',
    concurrency: 20,
    send: () => times(2000, (i) => ({ method: 'GET', path: '/client', credential: `docket_${i}` })),
    allowedStatuses: [401, 429],
  },
]
