/** A project for users with several roles, which read and write different claims and different fields of them. */
import { insertPerson } from '../../support/a-person.ts'
import { createAs } from '../../support/a-project.ts'
import { entityFile } from '../../support/definitions/files.ts'
import { shareService, startTestService } from '../../support/service.ts'

const string = (key: string, more: object = {}) => ({ key, type: 'string', ...more })
const role = (key: string, claim: object, more: object = {}) => ({
  [`roles/${key}.json`]: { key, permissions: { ...(claim && { claim }), ...more } },
})

const files = {
  ...entityFile('claim', [
    string('name', { required: true }),
    string('region'),
    string('state'),
    string('reason'),
    { key: 'price', type: 'integer' },
    { key: 'photo', type: 'file' },
  ]),
  // Changes what is a draft, and no price.
  ...role(
    'clerk',
    {
      read: true,
      create: true,
      update: true,
      tasks: true,
      hiddenFields: ['photo'],
      readOnlyFields: ['price'],
      delete: true,
      conditions: { update: { state: 'draft' }, delete: { state: 'void' } },
      messages: { update: 'Only drafts.' },
    },
    { task: { hiddenFields: ['payload', 'due_date'], readOnlyFields: ['description'] } },
  ),
  // Everything in the north.
  ...role(
    'north',
    {
      read: true,
      create: true,
      update: true,
      delete: true,
      tasks: true,
      hiddenFields: ['reason'],
      actions: ['approve'],
      conditions: { read: { region: 'N' }, create: { price: { $lt: 100 } } },
    },
    {
      task: { hiddenFields: ['type'], readOnlyFields: ['due_date'] },
      user: { read: true, hiddenFields: ['email', 'phone'] },
    },
  ),
  // Has the action everywhere, and sees no region of what it approves.
  ...role('approver', {
    read: true,
    actions: ['approve'],
    conditions: { read: { state: 'ready' } },
  }),
  // Sees of users what the role of the north hides, of its own user alone.
  ...role('self', {}, { user: { read: 'own', hiddenFields: ['phone'] } }),
  ...role(
    'keeper',
    {},
    {
      user: { read: true, update: true },
      security_role: { read: true },
      user_role: { read: true, create: true, update: true, delete: true },
    },
  ),
}
const claim = {
  ...JSON.parse(JSON.stringify(Object.values(files)[0])),
  displayField: 'name',
  workflow: {
    initialStep: 'open',
    steps: [
      {
        key: 'open',
        actions: [{ key: 'approve', kind: 'approveWorkflow', to: 'done', form: 'approval' }],
      },
      { key: 'done', final: true },
    ],
    forms: [{ key: 'approval', fields: ['reason', 'state'] }],
  },
}

export const both = 'clerk-north@example.com'

/** The service of all files that ask for it, with its users: their names are those of their roles. */
export const shareSeveralRoles = shareService(async () => {
  const service = await startTestService({ ...files, 'entities/claim.json': claim })
  const ids = new Map<string, number>()
  const roleId = async (key: string): Promise<number> => {
    const body = { $where: { key }, $select: ['id'] }
    return (await service.ask('POST', '/security_role/search', { body })).json(200).data[0].id
  }
  const addRole = async (name: string, key: string): Promise<number> => {
    const body = { user_id: ids.get(name), security_role_id: await roleId(key) }
    return (await createAs(service, 'user_role', body)).id
  }
  const person = async (name: string, key: string) =>
    ids.set(name, await insertPerson(service.database.pool, name, key))
  for (const [name, key] of [
    ['clerk', 'clerk'],
    ['clerk-north', 'clerk'],
    ['clerk-approver', 'clerk'],
    ['north-approver', 'north'],
    ['keeper', 'keeper'],
    ['chief', 'clerk'],
  ] as const)
    await person(name, key)
  await addRole('clerk-north', 'north')
  await addRole('clerk-approver', 'approver')
  await addRole('north-approver', 'approver')
  await addRole('chief', 'administrator')
  return {
    ...service,
    ids,
    roleId,
    addRole,
    person,
    newClaim: async (values: object): Promise<number> =>
      (await createAs(service, 'claim', { name: 'C', ...values })).id,
    as: (method: string, path: string, as: string, body?: object) =>
      service.ask(method, path, { as, ...(body && { body }) }),
  }
})
