/** What the description of an entity says to administrators alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeProject } from '../../components/support/describe-project.ts'
import { adminProject } from '../../support/console/an-admin-project.ts'

const describedTo = async (role: string) => {
  const { entities } = await describeProject(adminProject, { role })
  const order = entities.find((one) => 'key' in one && one.key === 'order')
  assert.ok(order)
  return order as { readonly hooks?: readonly object[]; readonly roles?: readonly object[] }
}

test('hooks and the rights of roles are described to administrators, and to nobody else', async () => {
  const { hooks, roles } = await describedTo('administrator')
  assert.partialDeepStrictEqual(hooks, [{ functionName: '_sendNotificationHandler' }])
  assert.ok(roles && roles.length > 0)
  const others = await describedTo('clerk')
  assert.deepEqual([others.hooks, others.roles], [undefined, undefined])
})
