/** A service with orders, users who are notified of them and users who are not, for tests of the administration. */

import { adminProject } from '../../support/console/an-admin-project.ts'
import { startTestService, type TestService } from '../../support/service.ts'

/** Ana and Boris are clerks, Boris is blocked; Gita is a guest, who may read no order. All are buyers. */
const people = [
  { name: 'Ana', role: 'clerk', isBlocked: false },
  { name: 'Boris', role: 'clerk', isBlocked: true },
  { name: 'Gita', role: 'guest', isBlocked: false },
]

export const mailOf = (name: string): string => `${name.toLowerCase()}@example.com`

/** Users have the ids 2, 3 and 4; the order O-1 has the id 1. */
export const startAdminService = async (
  environment: Readonly<Record<string, string>> = {},
): Promise<TestService> => {
  const service = await startTestService(adminProject, environment)
  const { data: roles } = (await service.ask('GET', '/security_role')).json()
  const roleId = (key: string) => roles.find((one: { key: string }) => one.key === key).id
  await service.ask('POST', '/user_group', { body: { code: 'buyers', name: 'Buyers' } })
  for (const { name, role, isBlocked } of people) {
    const created = await service.ask('POST', '/user', {
      body: {
        first_name: name,
        last_name: 'Test',
        full_name: `${name} Test`,
        username: mailOf(name),
        email: mailOf(name),
        identity_provider_user_id: mailOf(name),
        security_role_id: roleId(role),
      },
    })
    const { id } = created.json()
    await service.ask('POST', '/user_group_member', { body: { user_group_id: 1, user_id: id } })
    if (isBlocked) await service.ask('PATCH', `/user/${id}`, { body: { is_blocked: true } })
  }
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
  await service.ask('POST', '/order', {
    body: { number: 'O-1', customer_id: 1, total: '12.50', approver_id: 2 },
  })
  return service
}
