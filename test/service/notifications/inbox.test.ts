/** The list of notifications (filtered, sorted and paged), their counts, marks and the undo of marks. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, beforeEach, describe, test } from 'node:test'
import { Compile } from 'typebox/schema'
import { storedNotification } from '../../../src/inbox/inbox-endpoints.ts'
import { invalidPaths } from '../../support/a-project.ts'
import {
  type ListedNotification,
  newUser,
  notifyUsers,
  shareInbox,
} from '../../support/notifications/an-inbox.ts'

type User = Awaited<ReturnType<typeof newUser>>

let user: User
const inbox = await shareInbox()

describe('the list', () => {
  let anna: User
  let bojan: User
  let ids: string[]
  before(async () => {
    anna = await newUser(inbox)
    bojan = await newUser(inbox)
    const { pool } = inbox.database
    // The events are stored in another order than they happened.
    for (const [index, day] of [5, 3, 4, 1, 2].entries())
      await notifyUsers(pool, [anna.id, bojan.id], {
        entityKey: index % 2 ? 'order' : 'supplier',
        entityId: 10 - (index % 3),
        title: `Event ${index}`,
        at: `2026-05-0${day}T08:30:00.000Z`,
      })
    ids = (await inbox.list(anna.name, '?sortOrder=asc')).map(({ _id }) => _id)
    assert.equal(await inbox.mark(anna.name, { ids: [ids[1], ids[3]], status: 'seen' }), 2)
  })

  const positions = async (query: string, name = anna.name) =>
    (await inbox.list(name, query)).map(({ _id }) => ids.indexOf(_id))

  test('the list is an array of notifications, the latest first, as the OpenAPI document says', async () => {
    const reply = await inbox.ask('GET', '/api/notifications', { as: `${anna.name}@example.com` })
    assert.equal(reply.status, 200)
    assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(reply.headers.get('vary'), 'Accept-Language, Authorization, Cookie')
    const [first, ...rest] = reply.json()
    assert.equal(rest.length, 4)
    const [, errors] = Compile(storedNotification).Errors(first)
    assert.deepEqual(errors, [])
    const { _id, timestamp, content, ...fields } = first
    assert.equal(_id, ids[4])
    assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepEqual(fields, {
      user_id: anna.id,
      entity_key: 'supplier',
      entity_id: 9,
      seen: false,
    })
    assert.deepEqual(content, {
      icon: 'bell',
      title: 'Event 4',
      message: 'PO-1 was approved.',
      url: '/console/order/1',
    })
  })

  const orders: readonly [query: string, positions: string][] = [
    ['', '43210'],
    ['sortOrder=asc', '01234'],
    ['sortField=_id&sortOrder=asc', '34120'],
    ['sortField=_id', '02143'],
    ['sortField=user_id&sortOrder=asc', '34120'],
    ['sortField=entity_key&sortOrder=asc', '31420'],
    ['sortField=entity_id&sortOrder=asc', '24130'],
    ['sortField=seen', '13024'],
    // By title: the titles have the order of storage.
    ['sortField=content&sortOrder=asc', '01234'],
    ['sortOrder=ASC', '01234'],
    ['status=seen', '31'],
    ['status=unseen', '420'],
    ['status=unseen&sortOrder=asc&limit=1&skip=1', '2'],
    ['limit=2&skip=2', '21'],
    ['skip=5', ''],
    ['skip=1000000000', ''],
  ]
  test('the list can be filtered, sorted and paged; equal values are sorted by _id in the same direction', async () => {
    for (const [query, expected] of orders)
      assert.equal((await positions(query && `?${query}`)).join(''), expected, query)
  })

  test('the default page size is 20, and those of other users are not listed', async () => {
    const { name, id } = await newUser(inbox)
    assert.deepEqual(await inbox.list(name), [])
    for (let index = 0; index < 21; index++) await notifyUsers(inbox.database.pool, [id])
    const pages = [await inbox.list(name), await inbox.list(name, '?skip=20')]
    assert.deepEqual([pages[0]?.length, pages[1]?.length], [20, 1])
    assert.deepEqual(pages.flat(), await inbox.list(name, '?limit=1000'))
    assert.deepEqual(await positions('', bojan.name), [-1, -1, -1, -1, -1])
  })

  test('the due date is relative to now, in the language of the caller or else of the project', async () => {
    const { name, id } = await newUser(inbox)
    const inADay = new Date(Date.now() + 24 * 3_600_000).toISOString()
    await notifyUsers(inbox.database.pool, [id], { due_at: inADay })
    for (const [language, expected] of [
      ['en-GB,en;q=0.9', 'in 1 day'],
      ['fr', 'dans 1 jour'],
      ['xx', 'in 1 Tag'],
      // The HTTP client of the tests sends the language *.
      [undefined, 'in 1 Tag'],
    ] as const) {
      const headers = language === undefined ? {} : { 'Accept-Language': language }
      const as = `${name}@example.com`
      const [listed] = (await inbox.ask('GET', '/api/notifications', { as, headers })).json()
      assert.equal(listed.content.due_date, expected)
    }
  })
})

const arrive = async (count: number) => {
  for (let index = 0; index < count; index++) await notifyUsers(inbox.database.pool, [user.id])
}
const list = () => inbox.list(user.name, '?sortOrder=asc&limit=1000')
const seen = async () => (await list()).map((one) => (one.seen ? 1 : 0)).join('')
const mark = (body: object) => inbox.mark(user.name, body)
const put = (body: object, name = user.name) =>
  inbox.ask('PUT', '/api/notifications/mark', { as: `${name}@example.com`, body })
const everything = { ids: [], after: '2000-01-01 00:00:00' }
/** The counts of all, of seen and of unseen notifications. */
const counts = () =>
  Promise.all(['all', 'seen', 'unseen'].map((one) => inbox.count(user.name, one)))

describe('a user with five notifications', () => {
  let own: ListedNotification[]
  before(async () => {
    user = await newUser(inbox)
    await arrive(5)
    own = await list()
  })
  beforeEach(() => mark({ ...everything, status: 'unseen' }))

  const id = (index: number) => own[index]?._id ?? assert.fail()
  const at = (index: number) => own[index]?.timestamp ?? assert.fail()

  test('has counts that change with marks', async () => {
    assert.deepEqual(await counts(), [5, 0, 5])
    // Without a status it is that of all.
    const reply = await inbox.ask('GET', '/api/notifications/count', {
      as: `${user.name}@example.com`,
    })
    assert.deepEqual(reply.json(), { count: 5 })
    await mark({ ids: [id(0), id(4)], status: 'seen' })
    assert.deepEqual(await counts(), [5, 2, 3])
  })

  type Step = {
    readonly ids?: readonly number[]
    readonly status?: 'seen' | 'unseen'
    /** Indexes of notifications, or times. */
    readonly after?: number | string
    readonly before?: number | string
  }
  const timeOf = (time: number | string) => (typeof time === 'number' ? at(time) : time)
  const bodyOf = ({ ids = [], status = 'seen', after, before: upTo }: Step) => ({
    ids: ids.map(id),
    status,
    ...(after !== undefined && { after: timeOf(after) }),
    ...(upTo !== undefined && { before: timeOf(upTo) }),
  })
  const rows: readonly [what: string, ...steps: [step: Step, count: number, seen: string][]][] = [
    [
      'ids, of which a second mark changes nothing',
      [{ ids: [1, 3] }, 2, '01010'],
      [{ ids: [1, 3] }, 0, '01010'],
      [{ ids: [1, 0], status: 'unseen' }, 1, '00010'],
      [{ ids: [1], status: 'unseen' }, 0, '00010'],
    ],
    [
      'ids with after: these and all later ones',
      [{ ids: [0, 1, 4], after: 3 }, 3, '11001'],
      [{ ids: [1], after: 2, status: 'unseen' }, 2, '10000'],
    ],
    ['an id regardless of after', [{ ids: [2], after: '2099-01-01 00:00:00' }, 1, '00100']],
    ['after without ids: all later ones', [{ after: 2 }, 2, '00011']],
    ['before: those up to the time, and no later ones', [{ before: 2 }, 3, '11100']],
    [
      'after and before: a time span, together with ids',
      [{ after: 0, before: 3 }, 3, '01110'],
      [{ ids: [0, 4], after: 0, before: 3 }, 2, '11111'],
      [{ after: 3, before: 0 }, 0, '11111'],
    ],
  ]
  for (const [what, ...steps] of rows)
    test(`marks by ${what}`, async () => {
      for (const [step, count, expected] of steps)
        assert.deepEqual([await mark(bodyOf(step)), await seen()], [count, expected])
    })

  test('gives ids in any case; those of other users, unknown ones and invalid ones are ignored', async () => {
    const other = await newUser(inbox)
    await notifyUsers(inbox.database.pool, [other.id])
    const [theirs] = await inbox.list(other.name)
    const invalid = ['', '7', "' OR true --", '\u0000', id(0).replaceAll('-', ''), `{${id(0)}}`]
    const ids = [theirs?._id, randomUUID(), ...invalid]
    assert.equal(await mark({ ids, status: 'seen' }), 0)
    assert.equal(await mark({ ids: [...ids, id(2).toUpperCase(), id(2)], status: 'seen' }), 1)
    assert.equal(await mark({ ids: ['nonsense'], status: 'seen', after: at(3) }), 1)
    assert.equal(await seen(), '00101')
    assert.equal((await inbox.list(other.name))[0]?.seen, false)
    assert.equal(await inbox.count(other.name, 'unseen'), 1)
  })

  test('gives at most 10,000 ids', async () => {
    const ids = Array.from({ length: 9_999 }, () => randomUUID())
    assert.equal(await mark({ ids: [...ids, id(0)], status: 'seen' }), 1)
    const tooMany = await put({ ids: [...ids, id(0), id(1)], status: 'seen' })
    assert.deepEqual(invalidPaths(tooMany, 400), ['ids'])
  })

  test('sends concurrent equal marks, which count each change once', async () => {
    const marks = Array.from({ length: 8 }, () => mark({ ...everything, status: 'seen' }))
    const marked = await Promise.all(marks)
    assert.equal(marked.toSorted().join(''), '00000005')
    assert.deepEqual(await counts(), [5, 5, 0])
  })
})

describe('a user', () => {
  beforeEach(async () => {
    user = await newUser(inbox)
  })

  test('without notifications marks nothing, and all counts are 0', async () => {
    assert.equal(await mark({ ...everything, status: 'seen' }), 0)
    assert.deepEqual(await counts(), [0, 0, 0])
  })

  test('names times in the time zone of the project, or with an offset', async () => {
    await arrive(2)
    const own = await list()
    for (const [index, time] of ['11:59:59.5', '12:00:00.5'].entries())
      await inbox.database.pool.query(
        'UPDATE docket.notification SET timestamp = $2 WHERE _id = $1',
        [own[index]?._id, `2026-01-15 ${time}+00`],
      )
    for (const [upTo, count, expected] of [
      ['2026-01-15T06:59:59.499-05:00', 0, '00'],
      // Zagreb is one hour ahead of UTC.
      ['2026-01-15 13:00:00', 1, '10'],
      ['2026-01-15T07:00:00.500-05:00', 1, '11'],
    ] as const) {
      assert.equal(await mark({ ids: [], status: 'seen', before: upTo }), count)
      assert.equal(await seen(), expected)
    }
  })
})

describe('an undo', () => {
  beforeEach(async () => {
    user = await newUser(inbox)
  })
  const markedAt = async (body: object) => {
    const reply = await put({ ids: [], status: 'seen', ...body })
    assert.equal(reply.status, 200, reply.text)
    return reply.headers.get('x-marked-at')
  }
  const all = { before: '2099-01-01 00:00:00' }
  const undo = async (moment: unknown, name?: string) =>
    (await put({ ids: [], status: 'unseen', markedAt: moment }, name)).json().count

  test('leaves what was seen before, arrived later, or belongs to another user', async () => {
    await arrive(4)
    const [first] = await list()
    await markedAt({ ids: [first?._id] })
    const moment = await markedAt(all)
    await arrive(2)
    assert.equal(await seen(), '111100')
    assert.equal(await undo(moment, (await newUser(inbox)).name), 0)
    assert.equal(await seen(), '111100')
    assert.equal(await undo(moment), 3)
    assert.equal(await seen(), '100000')
    assert.equal(await inbox.count(user.name, 'unseen'), 5)
    assert.equal(await undo(moment), 0)
  })

  test('leaves what was marked again since', async () => {
    await arrive(3)
    const [first, second] = await list()
    const moment = await markedAt(all)
    await mark({ ids: [first?._id, second?._id], status: 'unseen' })
    const later = await markedAt({ ids: [second?._id] })
    for (const [undone, expected] of [
      [moment, '010'],
      [later, '000'],
    ] as const) {
      assert.equal(await undo(undone), 1)
      assert.equal(await seen(), expected)
    }
  })

  test('has no moment for a call that changes nothing, or marks as unseen', async () => {
    await arrive(1)
    assert.equal(await markedAt({ before: '2000-01-01 00:00:00' }), null)
    assert.notEqual(await markedAt(all), null)
    assert.equal(await markedAt(all), null)
    assert.equal(await markedAt({ status: 'unseen', ...all }), null)
  })

  test('has a later moment than the mark before, also when the clock was set back', async () => {
    await arrive(2)
    const [first, second] = await list()
    await markedAt({ ids: [first?._id] })
    const ahead = '2099-01-01T00:00:00.000Z'
    await inbox.database.pool.query(
      'UPDATE docket.notification_count SET marked_at = $1 WHERE user_id = $2',
      [ahead, user.id],
    )
    assert.equal(await markedAt({ ids: [second?._id] }), '2099-01-01T00:00:00.001Z')
  })

  test('has different moments for concurrent marks, and each is undone alone', async () => {
    await arrive(20)
    const ids = (await list()).map(({ _id }) => _id)
    // Overlapping: each notification is marked by one of them.
    const parts = Array.from({ length: 10 }, (_, index) => ids.slice(index, index + 11))
    const replies = await Promise.all(parts.map((part) => put({ ids: part, status: 'seen' })))
    const marks = replies
      .map((reply) => ({ count: reply.json().count, at: reply.headers.get('x-marked-at') }))
      .filter(({ at }) => at !== null)
    assert.equal(new Set(marks.map(({ at }) => at)).size, marks.length)
    const marked = marks.map(({ count }) => count)
    assert.equal(
      marked.reduce((sum, count) => sum + count, 0),
      20,
    )
    const undone = await Promise.all([...marks.map(({ at }) => undo(at)), arrive(2)])
    assert.deepEqual(undone.slice(0, -1), marked)
    assert.equal(await inbox.count(user.name, 'unseen'), 22)
  })
})

const valid = { ids: [randomUUID()], status: 'seen' }
const invalid: readonly [body: object, paths: string[]][] = [
  [{ ids: [], status: 'seen' }, ['ids']],
  [{ status: 'seen', after: '2026-05-04 08:30:00' }, ['ids']],
  [{ ...valid, ids: ['x', 1, null, ['y'], {}] }, ['ids[1]', 'ids[2]', 'ids[3]', 'ids[4]']],
  ...['2026-02-30 10:00:00', '2026-05-04', '2026-05-04 08:30:00; DROP'].map(
    (after): [object, string[]] => [{ ...valid, after }, ['after']],
  ),
  // A time that does not exist in Zagreb.
  [{ ...valid, before: '2026-03-29 02:30:00' }, ['before']],
  [{ ids: [], status: 'seen', after: 'x', before: 'y' }, ['after', 'before']],
  [{ ids: [], status: 'unseen', markedAt: 'now' }, ['markedAt']],
  // Only for unseen.
  [{ ids: [], status: 'seen', markedAt: '2026-05-04T08:30:00.000Z' }, ['markedAt']],
]
test('invalid bodies are rejected', async () => {
  user = await newUser(inbox)
  for (const [body, paths] of invalid) {
    const found = invalidPaths(await put(body), 400)
    assert.deepEqual(found.sort(), paths.toSorted(), JSON.stringify(body))
  }
})
