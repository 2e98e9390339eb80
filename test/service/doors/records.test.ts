/** What every endpoint of a record does with one that is removed, does not exist, or has changed since it was read. */
import { describe, test } from 'node:test'
import { startDoors } from './a-door-project.ts'
import {
  assertEach,
  type Door,
  doorsOf,
  enter,
  isOnRecord,
  knock,
  plain,
  requestOf,
  send,
  successOf,
} from './doors.ts'

const doors = await startDoors()
const all = await doorsOf(doors)
const onRecord = all.filter(isOnRecord)

const takes = (name: string) =>
  all.filter(({ operation }) => operation?.parameters.some((one) => one.name === name))

const withHeader = async (door: Door, id: number, name: string, value: string) => {
  const request = await requestOf(doors, door, id)
  const headers = { ...request.headers, [name]: value }
  return (as: string) => send(doors, door, { ...request, headers }, as)
}

test('a removed record is answered like one that does not exist, where its row does not say otherwise', async () => {
  await assertEach(
    onRecord,
    (door) => (door.removed === undefined ? ['404', true] : [String(door.removed), false]),
    async (door) => {
      const id = await doors.newClaim()
      const request = await requestOf(doors, door, id)
      await doors.ask('DELETE', `/claim/${id}`)
      const removed = plain(await send(doors, door, request, 'everything'), id)
      const path = request.path.replace(`/claim/${id}`, '/claim/2000000000')
      const absent = await send(doors, door, { ...request, path }, 'everything')
      return [removed.slice(0, 3), removed === plain(absent, 2_000_000_000)]
    },
  )
})

test('what a removed record still answers is for callers who may remove it', async () => {
  await assertEach(
    onRecord.filter(({ removed }) => removed !== undefined),
    true,
    async (door) => {
      const id = await doors.newClaim()
      await doors.ask('DELETE', `/claim/${id}`)
      return [403, 404].includes((await knock(doors, door, 'lacking_delete', id)).status)
    },
  )
})

describe('ids', () => {
  const idsOf = (door: Door) =>
    (door.operation?.parameters ?? []).filter(
      ({ in: where, schema }) => where === 'path' && schema.type === 'integer',
    )
  const answersTo = async (door: Door, texts: readonly string[]) => {
    const request = await requestOf(doors, door, await doors.newClaim())
    const found = new Set<string>()
    for (const { name } of idsOf(door)) {
      // The place of the parameter in the path, of which the others keep their values.
      const place = door.path.split('/').indexOf(`{${name}}`)
      for (const text of texts) {
        const path = request.path.split('/').with(place, encodeURIComponent(text)).join('/')
        const { status } = await send(doors, door, { ...request, path }, 'admin')
        found.add(`${text} ${status}`)
      }
    }
    return [...found].sort()
  }
  const withIds = () => all.filter((door) => idsOf(door).length > 0)

  test('an id that no record can have is a 404', async () => {
    const texts = ['2147483647', '99999999999999999999', '9'.repeat(150)]
    const expected = texts.map((text) => `${text} 404`).sort()
    await assertEach(withIds(), expected, (door) => answersTo(door, texts))
  })

  test('a text that is not an id is a 400, or a 404 where the path is another one then', async () => {
    const texts = ['0', '-1', '01', '1e3', 'abc', '١']
    await assertEach(withIds(), [], async (door) =>
      (await answersTo(door, texts)).filter((found) => !/ 40[045]$/.test(found)),
    )
    const strict = withIds().filter(({ path }) => !path.includes('{taskId}'))
    await assertEach(strict.filter(isOnRecord), ['0 400', '1.5 400'], (door) =>
      answersTo(door, ['0', '1.5']),
    )
  })
})

describe('If-Match', () => {
  const conditional = () => takes('If-Match')

  test('another version than the one that was read is a 412 with the current one, and writes nothing; that version, and any version, are written', async () => {
    await assertEach(
      conditional(),
      (door) => [412, 'record.stale', true, successOf(door), successOf(door)],
      async (door) => {
        const sendTo = async () => {
          const id = await doors.newClaim()
          const request = await requestOf(doors, door, id)
          if (door.isOfRemoved) await doors.ask('DELETE', `/claim/${id}`)
          const sendTag = (tag: string) => {
            const headers = { ...request.headers, 'If-Match': tag }
            return send(doors, door, { ...request, headers }, 'everything')
          }
          return { id, sendTag }
        }
        const { id, sendTag } = await sendTo()
        const entries = async () =>
          (await doors.ask('POST', '/claim/search', { body: { $where: { id } } })).text +
          (await doors.ask('GET', `/claim/${id}/history`)).text
        const before = await entries()
        const stale = await sendTag('"98", W/"1"')
        const isUnchanged = (await entries()) === before
        const current = await sendTag(`"97", ${stale.headers.get('etag')}`)
        const any = await (await sendTo()).sendTag('*')
        return [stale.status, stale.json().code, isUnchanged, current.status, any.status]
      },
    )
  })

  test('what is no entity tag is a 400 that names the header', async () => {
    await assertEach(conditional(), ['400 If-Match', '400 If-Match'], async (door) => {
      const found = []
      for (const tag of ['1', '"1", x']) {
        const reply = await (await withHeader(door, await doors.newClaim(), 'If-Match', tag))(
          'admin',
        )
        found.push(`${reply.status} ${reply.json().errors?.[0]?.path}`)
      }
      return found
    })
  })
})

test('If-None-Match with the tag of an answer is a 304 without a body, and with another one the answer', async () => {
  await assertEach(takes('If-None-Match'), [200, 304, '', 200, true], async (door) => {
    const id = await doors.newClaim()
    const first = await enter(doors, door, 'everything', id)
    const tag = first.headers.get('etag') ?? ''
    const again = await (await withHeader(door, id, 'If-None-Match', tag))('everything')
    const other = await (await withHeader(door, id, 'If-None-Match', '"other"'))('everything')
    return [first.status, again.status, again.text, other.status, other.text === first.text]
  })
})

test('the same Idempotency-Key gets the first answer again, and with another body a 422', async () => {
  await assertEach(
    takes('Idempotency-Key'),
    (door) => [successOf(door), null, successOf(door), 'true', true, 422],
    async (door) => {
      const request = await requestOf(doors, door, await doors.newClaim())
      const headers = { 'Idempotency-Key': `key of ${door.name}`.replaceAll(/[^a-z]/gi, '') }
      const sendBody = (body: unknown) =>
        send(doors, door, { ...request, headers, body }, 'everything')
      const first = await sendBody(request.body)
      const again = await sendBody(request.body)
      const more = door.path.endsWith('/bulk') ? { dryRun: false } : { heading: 'Another' }
      const different = door.path.endsWith('/comment') ? { text: 'Another' } : more
      const other = await sendBody({ ...Object(request.body), ...different })
      return [
        first.status,
        first.headers.get('idempotency-replayed'),
        again.status,
        again.headers.get('idempotency-replayed'),
        again.text === first.text,
        other.status,
      ]
    },
  )
})
