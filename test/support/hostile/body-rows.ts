/** Bodies that are expensive to parse, and bodies with very many issues. */
import { filledWith, keys, megabytes, post, type Row, row, search, times, where } from './a-row.ts'

/** Bodies whose parsing may cost more than their length suggests. */
const bodies: Readonly<Record<string, () => string>> = {
  'many zeros after a decimal point': () => `1.${'0'.repeat(300_000)}1`,
  'a number of four million digits': () => `1.${filledWith('0')}1`,
  'numbers that lose digits': () => `[${filledWith('12345678901234567,')}1]`,
  'numbers of seventeen characters': () => `[${filledWith('1000000000000000.0,')}1]`,
  'empty arrays': () => `[${filledWith('[],')}1]`,
  'arrays in arrays': () => filledWith('['),
  'duplicate names': () => `{${filledWith('"k":1,')}"k":1}`,
  'many different names': () => JSON.stringify(keys(350_000)),
  'small objects': () => `[${filledWith('{"k":1},')}1]`,
  'escaped quotes': () => `["${filledWith('\\"')}"]`,
  backslashes: () => `["${filledWith('\\\\')}"]`,
  'an incomplete escape': () => `["${filledWith('\\"')}\\x"]`,
  'empty lines': () => `${filledWith('\n')}x`,
}

export const bodyRows: readonly Row[] = Object.entries(bodies).flatMap(([what, body]): Row[] => [
  row(`a body without credentials: ${what}`, 'anonymous', [401], () => [
    post('/x', body()),
    post('/client', body()),
  ]),
  row(`a body in place of a credential: ${what}`, 'anonymous', [413], () => [
    post('/console/-/session', body()),
  ]),
  row(`a body of a known caller: ${what}`, 'creator', [400, 413, 422], () => [
    post('/client', body()),
  ]),
])

/** Requests with very many issues or very long ones. */
export const issueRows: readonly Row[] = [
  row('a name of four million characters', 'creator', [400, 422], () => [
    post('/client', { ['x'.repeat(megabytes)]: 1 }),
    search({ ['x'.repeat(megabytes)]: 1 }),
  ]),
  row('many unknown fields', 'creator', [400, 422], () =>
    [9000, 400_000].flatMap((count) => [
      post('/client', keys(count)),
      { method: 'PATCH', path: '/client/1', body: keys(count) },
    ]),
  ),
  row('many unknown criteria', 'reader', [400], () =>
    [9000, 300_000].flatMap((count) => [
      search(keys(count)),
      where(keys(count)),
      where({ name: keys(count) }),
    ]),
  ),
  row('many unknown enum values', 'reader', [400], () =>
    [9000, 300_000].map((count) => where({ code: times(count, (i) => `alph${i}`) })),
  ),
  row('many unknown form fields', 'creator', [400, 404, 422], () =>
    [9000, 300_000].map((count) =>
      post('/client/2/proceedToStep', { action: 'end', values: keys(count) }),
    ),
  ),
  row('many invalid preferences', 'reader', [400], () => [
    {
      method: 'PUT',
      path: '/api/notifications/preferences',
      body: { data: times(9000, () => ({ k: 1 })) },
    },
  ]),
]
