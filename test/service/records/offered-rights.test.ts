/** What the console offers of records under conditions of permissions, and which conditions it may name. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { AskOptions, TestService } from '../../support/service.ts'
import { buyer, isDraft, manager, startConditional } from './a-conditional-project.ts'

type Started = Awaited<ReturnType<typeof startConditional>>
let service: TestService
let ask: Started['ask']
let orderIn: Started['orderIn']
before(async () => {
  const started = await startConditional()
  ;({ service, ask, orderIn } = started)
})
after(() => service.stop())

describe('what is offered', () => {
  const offers = async (path: string, who: AskOptions = {}) => {
    const { may, unmetRights, mayCreate } = (await ask('GET', `${path}/actions`, who)).json()
    return { may: [may.update, may.delete, may.takeOwnership], unmetRights, mayCreate }
  }

  test('follows the conditions, says which do not hold, and what may be created below', async () => {
    const [draft, review] = [await orderIn('draft'), await orderIn('review')]
    assert.deepEqual(await offers(`/order/${draft}`, buyer), {
      may: [true, true, true],
      unmetRights: [],
      mayCreate: { lines: true, remarks: true },
    })
    const onStep = { fields: ['_step'], callerFields: [] }
    assert.deepEqual(await offers(`/order/${review}`, buyer), {
      may: [false, false, true],
      unmetRights: [
        { right: 'update', ...onStep },
        { right: 'delete', ...onStep },
      ],
      mayCreate: { lines: false, remarks: true },
    })
    assert.deepEqual((await offers(`/order/${review}`)).mayCreate, { lines: true, remarks: true })
    // Neither the step nor the lines are theirs to see.
    const id = await orderIn('review', { total: '1' })
    assert.deepEqual(await offers(`/order/${id}`, manager), {
      may: [false, false, false],
      unmetRights: [{ right: 'update', fields: ['total'], callerFields: ['limit'] }],
      mayCreate: {},
    })
  })

  test('in definitions names the rights that have a condition; administrators read the conditions', async () => {
    const own = (await ask('GET', '/api/entities/line', buyer)).json()
    assert.deepEqual(own.permissions.conditional, ['create', 'update', 'delete'])
    assert.equal('roles' in own, false)
    const { permissions, roles } = (await ask('GET', '/api/entities/order')).json()
    assert.deepEqual(permissions.conditional, [])
    const ofBuyer = roles.find(({ key }: { key: string }) => key === 'buyer')
    assert.deepEqual(ofBuyer.conditions, { update: isDraft, delete: isDraft })
  })
})
