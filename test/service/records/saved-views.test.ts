/** Saved views: who may make, share and read them; a shared view names nothing that its reader may not see. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { asOf, everybody, startViews, type Views } from './a-view-project.ts'

let ask: Views['ask']
let forRole: Views['forRole']
let listFor: Views['listFor']
let pathsOf: Views['pathsOf']
let save: Views['save']
let send: Views['send']
let service: Views['service']
let statusFor: Views['statusFor']
before(async () => {
  ;({ ask, forRole, listFor, pathsOf, save, send, service, statusFor } = await startViews())
})
after(() => service.stop())

describe('a view of one’s own', () => {
  test('can be made, read, changed with If-Match and removed by every role', async () => {
    const criteria = { $where: { number: { $ilike: 'PO%' } }, $orderBy: ['-number'] }
    const columns = ['number', 'supplier_id']
    for (const who of ['buyer', 'wildcard', 'stranger', 'administrator']) {
      const entity_key = who === 'stranger' ? 'supplier' : 'order'
      const values = who === 'stranger' ? { entity_key } : { entity_key, criteria, columns }
      const reply = await send(who, values)
      assert.equal(reply.status, 201, reply.text)
      const { id, ...view } = reply.json()
      assert.deepEqual(
        [view.is_shared_with, view.criteria, view.columns],
        who === 'stranger' ? ['me', null, null] : ['me', criteria, columns],
      )
      const change = (etag: string) =>
        ask('PATCH', `/saved_view/${id}`, {
          body: { name: 'Renamed' },
          headers: { 'If-Match': etag },
          ...asOf(who),
        })
      assert.equal((await change('"1"')).status, 200)
      assert.equal((await change('"1"')).status, 412)
      const { data } = (await ask('GET', `/saved_view/${id}/history`, asOf(who))).json()
      assert.equal(data.length, 2)
      assert.equal((await ask('DELETE', `/saved_view/${id}`, asOf(who))).status, 204)
    }
  })

  test('is read by nobody else but administrators, who read every record', async () => {
    const id = await save('buyer')
    for (const who of ['buyer2', 'chief', 'lead', 'wildcard', 'stranger']) {
      assert.equal(await statusFor(who, id), 404, who)
      assert.ok(!(await listFor(who)).includes(id), who)
    }
    assert.equal(await statusFor('administrator', id), 200)
  })

  test('is not available to a role whose file says so', async () => {
    assert.equal((await send('viewless')).status, 403)
    assert.equal((await ask('GET', '/saved_view', asOf('viewless'))).status, 403)
  })

  test('is changed and removed by nobody else', async () => {
    const id = await save('lead', everybody)
    for (const who of ['buyer', 'chief', 'wildcard']) {
      const body = { name: 'Mine now' }
      assert.equal((await ask('PATCH', `/saved_view/${id}`, { body, ...asOf(who) })).status, 403)
      assert.equal((await ask('DELETE', `/saved_view/${id}`, asOf(who))).status, 403)
    }
  })
})

describe('sharing', () => {
  test('needs the permission to change every view', async () => {
    for (const who of ['buyer', 'wildcard'])
      for (const shared of [everybody, forRole('buyer')]) {
        const reply = await send(who, shared)
        assert.deepEqual([reply.status, reply.json().code], [403, 'caller.forbidden'])
        const id = await save(who)
        const changed = await ask('PATCH', `/saved_view/${id}`, { body: shared, ...asOf(who) })
        assert.equal(changed.status, 403)
      }
    for (const who of ['lead', 'administrator'])
      for (const shared of [everybody, forRole('buyer')]) await save(who, shared)
  })

  test('with all shows a view to everybody who may read its entity', async () => {
    const id = await save('lead', { ...everybody, criteria: { $where: { number: 'x' } } })
    for (const who of ['buyer', 'buyer2', 'chief', 'wildcard'])
      assert.equal(await statusFor(who, id), 200, who)
    assert.equal(await statusFor('stranger', id), 404)
    assert.ok((await listFor('buyer')).includes(id))
    assert.ok(!(await listFor('stranger')).includes(id))
  })

  test('with a role shows a view to this role only', async () => {
    const id = await save('lead', forRole('buyer'))
    assert.deepEqual([await statusFor('buyer', id), await statusFor('buyer2', id)], [200, 200])
    assert.deepEqual([await statusFor('chief', id), await statusFor('wildcard', id)], [404, 404])
  })

  test('with a role needs the role', async () => {
    assert.deepEqual(pathsOf(await send('lead', { is_shared_with: 'role' }), 422), [
      'security_role_id',
    ])
    const id = await save('lead', forRole('buyer'))
    const body = { security_role_id: null }
    const reply = await ask('PATCH', `/saved_view/${id}`, { body, ...asOf('lead') })
    assert.deepEqual(pathsOf(reply, 422), ['security_role_id'])
  })

  test('ends when the view is its maker’s own again', async () => {
    const id = await save('lead', everybody)
    const body = { is_shared_with: 'me' }
    assert.equal((await ask('PATCH', `/saved_view/${id}`, { body, ...asOf('lead') })).status, 200)
    assert.equal(await statusFor('buyer', id), 404)
  })

  test('does not show the history, which may name more than the view does now', async () => {
    const id = await save('lead', { ...everybody, criteria: { $where: { margin: '5' } } })
    const body = { criteria: { $where: { number: '5' } } }
    assert.equal((await ask('PATCH', `/saved_view/${id}`, { body, ...asOf('lead') })).status, 200)
    assert.equal(await statusFor('buyer', id), 200)
    assert.equal((await ask('GET', `/saved_view/${id}/history`, asOf('buyer'))).status, 404)
    assert.equal((await ask('GET', `/saved_view/${id}/history`, asOf('lead'))).status, 200)
  })
})

test('a user has at most 1,000 views', async () => {
  const { id } = (await ask('GET', '/api/me', asOf('chief'))).json()
  await service.database.pool.query(
    `INSERT INTO records.saved_view
       (entity_key, name, is_shared_with, _is_deleted, _created_by, _created_at, _updated_at)
     SELECT 'order', n::text, 'me', false, $1, now(), now() FROM generate_series(1, 999) n`,
    [id],
  )
  await save('chief')
  assert.deepEqual(pathsOf(await send('chief'), 422), [''])
})
