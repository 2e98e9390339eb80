/** Who is told of comments: those who watch their record, and those who follow it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openReader } from '../../support/notifications/a-stream-reader.ts'
import { pngOf, uploadFile } from '../../support/uploads.ts'
import { until } from '../../support/wait.ts'
import { holdJobs } from '../notifications/an-engine.ts'
import { as, mailOf, type Name, openComments } from './a-comment-project.ts'

const { service, ask, newOrder, say, historyOf } = await openComments()
const { ids } = service
const { pool } = service.database

test('who watches a record is told of comments on it that they may read, and of no change of it', async () => {
  const order = await newOrder()
  const open = async (who: Name, watched = order.slice(1)) => {
    const path = `/api/notifications/stream?watch=${watched}`
    const reader = await openReader(service.url, await service.tokenOf(mailOf(who)), { path })
    await until('the stream has begun', () => reader.counts().length === 1)
    return reader
  }
  const [reader, insider] = [await open('reader'), await open('insider', `order,${order.slice(1)}`)]
  const partsOf = ({ events }: typeof reader) =>
    events.filter(({ event }) => event === 'part').map(({ data }) => JSON.parse(data))
  try {
    const told = { entity: 'order', id: Number(order.split('/')[2]), part: 'comment' }
    await say('insider', order, 'Ours', { is_internal: true })
    await until('the insider is told', () => partsOf(insider).length === 1)
    await say('writer', order, 'For all')
    await until('the reader is told', () => partsOf(reader).length > 0)
    assert.deepEqual(partsOf(reader), [told])
    assert.deepEqual(partsOf(insider)[0], told)
    assert.ok(!reader.events.some(({ event }) => event === 'record'))
  } finally {
    for (const one of [reader, insider]) one.close()
  }
})

describe('followers', () => {
  const followersOf = async (order: string) =>
    new Map(
      (await ask('reader', 'GET', `${order}/follow`))
        .json(200)
        .data.map(({ id, reason }: { id: number; reason: string }) => [id, reason]),
    )
  type Told = {
    readonly title: string
    readonly message: string
    readonly comment_id: number
  }
  const toldOf = async (who: Name, order: string): Promise<readonly Told[]> => {
    await service.settled()
    return (await ask(who, 'GET', '/api/notifications?limit=1000'))
      .json(200)
      .filter((one: { entity_id: number }) => one.entity_id === Number(order.split('/')[2]))
      .map(({ content }: { content: Told }) => content)
  }

  const notifiedOf = async (who: Name, order: string) =>
    (await ask(who, 'GET', `${order}/notified`)).json(200).data

  test('are those who comment, are mentioned, act, are named or choose it, and leaving is remembered', async () => {
    const order = await newOrder('writer', { keeper_id: ids.owner })
    await say('other', order, `Look @[${ids.insider}]`)
    await ask('reader', 'PUT', `${order}/follow`)
    assert.deepEqual(
      await followersOf(order),
      new Map([
        [ids.insider, 'mentioned'],
        [ids.other, 'commented'],
        [ids.owner, 'named'],
        [ids.reader, 'chosen'],
        [ids.writer, 'acted'],
      ]),
    )
    for (const who of ['other', 'owner', 'writer'] as const)
      assert.equal((await ask(who, 'DELETE', `${order}/follow`)).status, 204)
    await say('other', order, `Again, @[${ids.insider}]`)
    assert.deepEqual([...(await followersOf(order)).keys()], [ids.insider, ids.reader])
    assert.equal((await ask('other', 'GET', `${order}/follow`)).json(200).is_following, false)
    await ask('other', 'PUT', `${order}/follow`)
    assert.equal((await followersOf(order)).get(ids.other), 'chosen')
    assert.equal((await ask('own_reader', 'PUT', `${order}/follow`)).status, 404)
  })

  test('are notified once of a comment, with the strongest reason, if they may read it', async () => {
    const order = await newOrder('writer', { keeper_id: ids.owner })
    await ask('reader', 'PUT', `${order}/follow`)
    for (const method of ['PUT', 'DELETE']) await ask('insider', method, `${order}/follow`)
    await pool.query(
      `INSERT INTO docket.follower (entity_key, entity_id, user_id, reason)
       SELECT 'order', $1, id, 'chosen' FROM unnest($2::integer[]) id`,
      [order.split('/')[2], [ids.nobody, ids.own_reader]],
    )
    const files = [await uploadFile(service, 'offer.png', pngOf('offer'), mailOf('other'))]
    const { id } = await say('other', order, `Dear @[${ids.owner}], fine?`, { files })
    const mentioned = await toldOf('owner', order)
    assert.deepEqual(
      mentioned.map(({ title, message, comment_id: about }) => [
        title.startsWith('other Example mentioned you'),
        message,
        about,
      ]),
      [[true, 'Dear @owner Example, fine?\n\nFiles: offer.png', id]],
    )
    assert.deepEqual(
      (await toldOf('reader', order)).map(({ title }) => title.split(' on ')[0]),
      ['other Example commented'],
    )
    assert.equal((await toldOf('writer', order)).length, 1)
    const [entry] = await historyOf('reader', order, '?about=comments')
    const [notified, ...others] = await notifiedOf('reader', order)
    assert.deepEqual(
      [notified.history_id, notified.operation, notified.count, notified.isPartial, others],
      [entry.id, 'createComment', 3, false, []],
    )
    assert.deepEqual(
      notified.people.map((one: { id: number }) => one.id).sort(),
      [ids.owner, ids.reader, ids.writer].sort(),
    )
    for (const who of ['nobody', 'own_reader', 'other', 'insider'] as const)
      assert.deepEqual(await toldOf(who, order), [], who)
  })

  test('hear nothing of a comment that is removed before they are notified', async () => {
    const order = await newOrder()
    await ask('reader', 'PUT', `${order}/follow`)
    const release = await holdJobs(service)
    const { id } = await say('other', order, 'Too early')
    await ask('other', 'DELETE', `${order}/comment/${id}`)
    await release()
    assert.deepEqual(await toldOf('reader', order), [])
  })

  test('hear of internal comments only with the permission, and an edit tells only those who are newly mentioned', async () => {
    const order = await newOrder()
    await ask('insider', 'PUT', `${order}/follow`)
    await ask('reader', 'PUT', `${order}/follow`)
    const other = { ...as(undefined), body: { text: 'Secret', is_internal: true } }
    assert.equal((await service.ask('POST', `${order}/comment`, other)).status, 201)
    assert.equal((await toldOf('insider', order)).length, 1)
    assert.deepEqual(await toldOf('reader', order), [])
    assert.deepEqual(await notifiedOf('reader', order), [])
    assert.equal((await notifiedOf('insider', order))[0].count, 1)
    const { id } = await say('writer', order, `Hi @[${ids.insider}]`)
    const edited = { text: `Hi @[${ids.insider}] and @[${ids.other}]` }
    await ask('writer', 'PATCH', `${order}/comment/${id}`, edited)
    assert.equal((await toldOf('insider', order)).length, 2)
    assert.equal((await toldOf('other', order)).length, 1)
    const [notified] = await notifiedOf('reader', order)
    assert.deepEqual([notified.operation, notified.count], ['changeComment', 1])
  })

  test('are explained and previewed with why they are notified', async () => {
    const order = await newOrder('writer', { keeper_id: ids.owner })
    const entityId = Number(order.split('/')[2])
    await say('other', order, 'Fine')
    const body = { entityKey: 'order', entityId, operation: 'comment', actorId: ids.insider }
    const { entries } = (await ask(undefined, 'POST', '/api/notifications/explain', body)).json(200)
    assert.deepEqual(
      entries[0].recipients.map((one: { user: { id: number }; follows: string; told: boolean }) => [
        one.user.id,
        one.follows,
        one.told,
      ]),
      [
        [ids.writer, 'acted', true],
        [ids.other, 'commented', true],
        [ids.owner, 'named', true],
      ],
    )
    const asked = { entityKey: 'order', operation: 'comment', entityIds: [entityId] }
    const preview = await ask('insider', 'POST', '/api/notifications/recipients', asked)
    assert.equal(preview.json(200).count, 3)
    const refused = await ask('reader', 'POST', '/api/notifications/recipients', asked)
    assert.equal(refused.status, 403)
  })
})
