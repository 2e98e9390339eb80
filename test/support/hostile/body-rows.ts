/** Bodies that are expensive to parse, and bodies with very many issues. */
import { filledWith, keys, megabytes, post, type Row, search, times, where } from './a-row.ts'

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
  {
    name: `a body without credentials: ${what}`,
    caller: 'anonymous',
    send: () => [post('/x', body()), post('/client', body())],
    allowedStatuses: [401],
  },
  {
    name: `a body in place of a credential: ${what}`,
    caller: 'anonymous',
    send: () => [post('/console/-/session', body())],
    allowedStatuses: [413],
  },
  {
    name: `a body of a known caller: ${what}`,
    caller: 'creator',
    send: () => [post('/client', body())],
    allowedStatuses: [400, 413, 422],
  },
])

/** Requests with very many issues or very long ones. */
export const issueRows: readonly Row[] = [
  {
    name: 'a name of four million characters',
    caller: 'creator',
    send: () => [
      post('/client', { ['x'.repeat(megabytes)]: 1 }),
      search({ ['x'.repeat(megabytes)]: 1 }),
    ],
    allowedStatuses: [400, 422],
  },
  {
    name: 'many unknown fields',
    caller: 'creator',
    send: () =>
      [9000, 400_000].flatMap((count) => [
        post('/client', keys(count)),
        { method: 'PATCH', path: '/client/1', body: keys(count) },
      ]),
    allowedStatuses: [400, 422],
  },
  {
    name: 'many unknown criteria',
    caller: 'reader',
    send: () =>
      [9000, 300_000].flatMap((count) => [
        search(keys(count)),
        where(keys(count)),
        where({ name: keys(count) }),
      ]),
    allowedStatuses: [400],
  },
  {
    name: 'many unknown enum values',
    caller: 'reader',
    send: () => [9000, 300_000].map((count) => where({ code: times(count, (i) => `alph${i}`) })),
    allowedStatuses: [400],
  },
  {
    name: 'many unknown form fields',
    caller: 'creator',
    send: () =>
      [9000, 300_000].map((count) =>
        post('/client/2/proceedToStep', { action: 'end', values: keys(count) }),
      ),
    allowedStatuses: [400, 404, 422],
  },
  {
    name: 'many invalid preferences',
    caller: 'reader',
    send: () => [
      {
        method: 'PUT',
        path: '/api/notifications/preferences',
        body: { data: times(9000, () => ({ k: 1 })) },
      },
    ],
    allowedStatuses: [400],
  },
]
