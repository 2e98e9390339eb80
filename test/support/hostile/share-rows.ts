/** Requests for shared resources: memory and worker slots. */
import { megabytes, post, type Row, row, times } from './a-row.ts'

/** Very large texts and responses. */
export const sizeRows: readonly Row[] = [
  row(
    'a list of large records',
    'reader',
    [200, 422],
    () => [
      { method: 'GET', path: '/client?limit=1000' },
      { method: 'GET', path: '/note?limit=1000' },
      post('/client/search?limit=1000', {}),
    ],
    { maxBytes: 64_000_000 },
  ),
  row(
    'a long text in notifications and e-mails',
    'creator',
    [201, 400, 422],
    () => [
      post('/contract', { number: 'long', body: 'a '.repeat(1_700_000) }),
      post('/contract', { number: 'allowed', body: 'a '.repeat(49_000) }),
      post('/contract', { number: 'markup', body: '<td>|</td>'.repeat(9000) }),
      post('/contract', { number: 'escaped', body: '&'.repeat(99_000) }),
    ],
    { maxBytes: 5_000_000 },
  ),
  row(
    'records of four megabytes by a caller who may only create them',
    'creator',
    [201, 400, 413, 422, 429],
    () => times(40, () => post('/note', { text: 'n'.repeat(megabytes) })),
    { maxBytes: 5_000_000 },
  ),
]

/** Many concurrent requests of one caller for shared resources. */
export const sharedResourceRows: readonly Row[] = [
  row(
    '300 concurrent PDFs',
    'creator',
    [200, 429, 503],
    () => times(300, () => ({ method: 'GET', path: '/contract/1/documents/contract' })),
    { concurrency: 300, maxBytes: 1_000_000 },
  ),
  row(
    '300 concurrent exports',
    'reader',
    [200, 429, 503],
    () => times(300, () => post('/client/export', {})),
    { concurrency: 300, maxBytes: 64_000_000 },
  ),
  row(
    'xlsx exports of texts that exceed a cell',
    'reader',
    [200, 422, 429, 503],
    () => times(16, () => post('/client/export?format=xlsx', { $where: { name: 'long' } })),
    { concurrency: 8 },
  ),
  row(
    'thousands of wrong API keys',
    'anonymous',
    [401, 429],
    () => times(2000, (i) => ({ method: 'GET', path: '/client', credential: `docket_${i}` })),
    { concurrency: 20 },
  ),
]
