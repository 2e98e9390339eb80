/** Two browsers that edit the same rows of a list: nothing is overwritten unseen, and nothing typed is lost. */
import { test } from 'node:test'
import { orderProject } from '../../support/console/an-order-project.ts'
import { changeInTwoBrowsers } from '../../support/console/cells-of-two.ts'
import { startTestService } from '../../support/service.ts'

test('of 200 random changes in two browsers none overwrites another one unseen, and none is lost', async () => {
  const service = await startTestService(orderProject)
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
  await changeInTwoBrowsers(service, 100)
})
