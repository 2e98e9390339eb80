/** Words that are written with or without accents: the same records are found, by every search. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'
import { completeSearch } from './complete-search.ts'

const names = [
  ...[
    'Löwe',
    'LOWE',
    'Lo\u0308we',
    'Müller',
    'Mueller',
    'Muller',
    'Straße',
    'STRASSE',
    'Ærø',
    'Aero',
  ],
  ...[
    'Đorđević',
    'Łódź',
    'Čačak',
    'Nguyễn',
    'Œuvre',
    'Москва',
    '北京',
    'İzmir',
    'Value',
    'Valu',
    'a.b',
  ],
]

let service: TestService
before(async () => {
  service = await startTestService(
    await writeProject({
      'entities/place.json': {
        ...{ key: 'place', displayField: 'name' },
        fields: [{ key: 'name', type: 'string' }],
      },
    }),
  )
  for (const name of names) await service.ask('POST', '/place', { body: { name } })
})
after(() => service.stop())

const searches: readonly (readonly [string, readonly string[]])[] = [
  ['lowe', ['Löwe', 'LOWE', 'Lo\u0308we']],
  ['löwe', ['Löwe', 'LOWE', 'Lo\u0308we']],
  ['LO\u0308WE', ['Löwe', 'LOWE', 'Lo\u0308we']],
  ['loewe', ['Löwe', 'Lo\u0308we']],
  ['muller', ['Müller', 'Muller']],
  ['mueller', ['Müller', 'Mueller']],
  ['MÜLLER', ['Müller', 'Mueller', 'Muller']],
  ['strasse', ['Straße', 'STRASSE']],
  ['straße', ['Straße', 'STRASSE']],
  ['aero', ['Ærø', 'Aero']],
  ['oeuvre', ['Œuvre']],
  ['dordevic', ['Đorđević']],
  ['lodz', ['Łódź']],
  ['ćacak', ['Čačak']],
  ['nguyen', ['Nguyễn']],
  ['МОСК', ['Москва']],
  ['京', ['北京']],
  ['izmir', ['İzmir']],
  // Nothing that has no ü: the e is not left out.
  ['value', ['Value']],
  ['valü', ['Value', 'Valu']],
  ['a.b', ['a.b']],
  ['.', ['a.b']],
  ['[a-z]', []],
  ['a*', []],
]

describe('accents', () => {
  for (const [word, expected] of searches)
    test(`${word} finds ${expected.join() || 'nothing'}`, async () => {
      const list = await service.ask('POST', '/place/search', { body: { $search: word } })
      assert.equal(list.status, 200, list.text)
      const inList = list.json().data.map(({ name }: { name: string }) => name)
      const all = await completeSearch(service, `limit=20&q=${encodeURIComponent(word)}`)
      assert.equal(all.status, 200, all.text)
      const inAll = all.json().data.map(({ display }: { display: string }) => display)
      assert.deepEqual(
        [inList, inAll].map((found: string[]) => found.toSorted()),
        [expected.toSorted(), expected.toSorted()],
      )
    })

  test('words of the longest kind are answered', async () => {
    const word = 'ae'.repeat(50)
    const $search = Array.from({ length: 10 }, () => word).join(' ')
    const { status, text } = await service.ask('POST', '/place/search', { body: { $search } })
    assert.equal(status, 200, text)
  })
})
