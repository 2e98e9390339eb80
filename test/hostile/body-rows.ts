/** Bodies that cost a careless parser much, and issues in them of which there are many. */
import { filledWith, keys, megabytes, post, type Row, search, times, where } from './a-row.ts'

/** Bodies that cost a careless parser more than their length. */
const bodies: Readonly<Record<string, () => string>> = {
  'zeros behind a point': () => `1.${'0'.repeat(300_000)}1`,
  'a number of four million digits': () => `1.${filledWith('0')}1`,
  'numbers that lose digits': () => `[${filledWith('12345678901234567,')}1]`,
  'numbers of seventeen characters': () => `[${filledWith('1000000000000000.0,')}1]`,
  'empty arrays': () => `[${filledWith('[],')}1]`,
  'arrays in arrays': () => filledWith('['),
  'names given twice': () => `{${filledWith('"k":1,')}"k":1}`,
  'names of all kinds': () => JSON.stringify(keys(350_000)),
  'small objects': () => `[${filledWith('{"k":1},')}1]`,
  'escaped quotes': () => `["${filledWith('\\"')}"]`,
  backslashes: () => `["${filledWith('\\\\')}"]`,
  'half of an escape': () => `["${filledWith('\\"')}\\x"]`,
  'empty lines': () => `${filledWith('\n')}x`,
}

export const ofBodies: readonly Row[] = Object.entries(bodies).flatMap(([what, body]): Row[] => [
  {
    name: `of nobody: ${what}`,
    who: 'nobody',
    send: () => [post('/x', body()), post('/client', body())],
    answers: [401],
  },
  {
    name: `of a caller: ${what}`,
    who: 'creator',
    send: () => [post('/client', body())],
    answers: [400, 413, 422],
  },
])

/** Issues of which there are many, or which are long. */
export const issues: readonly Row[] = [
  {
    name: 'a name of four million characters',
    who: 'creator',
    send: () => [
      post('/client', { ['x'.repeat(megabytes)]: 1 }),
      search({ ['x'.repeat(megabytes)]: 1 }),
    ],
    answers: [400, 422],
  },
  {
    name: 'fields that do not exist',
    who: 'creator',
    send: () =>
      [9000, 400_000].flatMap((count) => [
        post('/client', keys(count)),
        { method: 'PATCH', path: '/client/1', body: keys(count) },
      ]),
    answers: [400, 422],
  },
  {
    name: 'criteria that do not exist',
    who: 'reader',
    send: () =>
      [9000, 300_000].flatMap((count) => [
        search(keys(count)),
        where(keys(count)),
        where({ name: keys(count) }),
      ]),
    answers: [400],
  },
  {
    name: 'words that an enum does not have',
    who: 'reader',
    send: () => [9000, 300_000].map((count) => where({ code: times(count, (i) => `alph${i}`) })),
    answers: [400],
  },
  {
    name: 'values that a form does not have',
    who: 'creator',
    send: () =>
      [9000, 300_000].map((count) =>
        post('/client/2/proceedToStep', { action: 'end', values: keys(count) }),
      ),
    answers: [400, 404, 422],
  },
  {
    name: 'preferences that do not exist',
    who: 'reader',
    send: () => [
      {
        method: 'PUT',
        path: '/api/notifications/preferences',
        body: { data: times(9000, () => ({ k: 1 })) },
      },
    ],
    answers: [400],
  },
]
