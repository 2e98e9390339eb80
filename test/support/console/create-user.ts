/** Users of tests in a browser. */
import type { TestService } from '../service.ts'

/** Its names are those of the role, and its e-mail address begins with it. Returns its id. */
export const createUser = async (service: TestService, role: string): Promise<number> => {
  const roles: { id: number; key: string }[] = (await service.ask('GET', '/security_role')).json()
    .data
  const email = `${role}@example.com`
  const body = {
    identity_provider_user_id: role,
    first_name: role,
    last_name: role,
    full_name: role,
    username: email,
    email,
    security_role_id: roles.find(({ key }) => key === role)?.id,
  }
  return (await service.ask('POST', '/user', { body })).json(201).id
}
