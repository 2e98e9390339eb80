/** The project of orders with lines, documents and roles that may do less. */
import assert from 'node:assert/strict'
import { orderProject } from '../support/console/an-order-project.ts'
import { entityFile, namedRole } from '../support/definitions/files.ts'
import { workflowOf } from '../support/definitions/workflow-of.ts'
import { shareService, startTestService, type TestService } from '../support/service.ts'

const order = orderProject['entities/order.json']

/** Who reads all orders, and changes only their own. */
export const sellerEmail = 'sale@example.com'
/** Who decides, and changes nothing. */
export const approverEmail = 'boris@example.com'

const { workflow } = order

export const shopProject = {
  ...orderProject,
  'entities/order.json': {
    ...order,
    fields: [
      ...order.fields,
      { key: 'lines', name: 'Lines', type: 'oneToMany', entity: 'line', mappedBy: 'order' },
    ],
  },
  'entities/request.json': {
    key: 'request',
    name: 'Request',
    displayField: 'title',
    fields: [
      { key: 'title', name: 'Title', type: 'string', required: true },
      { key: 'reason', name: 'Reason', type: 'text' },
    ],
    workflow: {
      initialStep: 'draft',
      steps: workflow.steps.map((step) => ({
        ...step,
        actions: step.actions?.map((action) => ({
          ...action,
          form: action.key === 'reject' ? 'reject' : undefined,
        })),
      })),
      forms: [{ key: 'reject', fields: ['reason'], required: ['reason'] }],
    },
  },
  ...entityFile('line', { name: 'Line', displayField: 'article' }, [
    { key: 'order', name: 'Order', type: 'manyToOne', entity: 'order', required: true },
    { key: 'article', name: 'Article', type: 'string', required: true },
    { key: 'price', name: 'Price', type: 'decimal', precision: 12, scale: 2 },
  ]),
  'printable-documents/confirmation.typ':
    '#let (record,) = json("data.json")\n= Order #record.number',
  'printable-documents/broken.typ': '#let (record,) = json("data.json")\n\n#record.nothing',
  ...namedRole('Seller', {
    order: {
      create: true,
      read: true,
      update: 'own',
      delete: 'own',
      takeOwnership: true,
      tasks: true,
      actions: ['submit'],
    },
    line: { read: true },
    customer: { read: true },
    user: { read: true },
    '*': { read: false },
  }),
  ...namedRole('Approver', {
    order: { read: true, actions: ['approve', 'reject'] },
    request: { read: true, actions: ['approve', 'reject'] },
    customer: { read: true },
    user: { read: true },
    '*': { read: false },
  }),
}

const people = {
  seller: { email: sellerEmail, first_name: 'Sale', last_name: 'Horvat' },
  approver: { email: approverEmail, first_name: 'Boris', last_name: 'Šimić' },
} as const

/** Adds two documents of orders, of which one has a template with an error. */
export const addDocuments = async ({ ask }: TestService): Promise<void> => {
  for (const [code, name] of [
    ['confirmation', 'Confirmation'],
    ['broken', 'Label'],
  ]) {
    const body = { code, name, entity_key: 'order', template_file: `${code}.typ` }
    const reply = await ask('POST', '/printable_document', { body })
    assert.equal(reply.status, 201, reply.text)
  }
}

/** Contracts are decided on in two steps, of which the second has an action that the first has not. */
const contracts = {
  'entities/contract.json': {
    key: 'contract',
    name: 'Contract',
    displayField: 'title',
    fields: [{ key: 'title', name: 'Title', type: 'string', required: true }],
    workflow: workflowOf({
      draft: [{ key: 'submit', kind: 'proceedToStep', to: 'legal' }],
      legal: [
        { key: 'approve', kind: 'approveWorkflow', to: 'board' },
        { key: 'reject', kind: 'rejectWorkflow', to: 'draft' },
      ],
      board: [
        { key: 'sign', kind: 'approveWorkflow', to: 'signed' },
        { key: 'reject', kind: 'rejectWorkflow', to: 'draft' },
      ],
      signed: [],
    }),
  },
}

/** A service of the project and of contracts, with its documents and people, and with the customers 1 to 3. */
export const startShop = shareService(async () => {
  const service = await startTestService({ ...shopProject, ...contracts })
  await addPeople(service)
  await addDocuments(service)
  for (const name of ['Adria Metal', 'Bode & Söhne', '北京钢铁']) {
    const created = await service.ask('POST', '/customer', { body: { name, city: 'Split' } })
    assert.equal(created.status, 201, created.text)
  }
  return service
})

/** Adds the people of the roles to a service of the project. */
export const addPeople = async ({ ask }: TestService): Promise<void> => {
  const roles: { readonly id: number; readonly key: string }[] = (
    await ask('GET', '/security_role')
  ).json().data
  for (const [key, { email, first_name, last_name }] of Object.entries(people)) {
    const role = roles.find((one) => one.key === key)
    const body = {
      email,
      username: email,
      identity_provider_user_id: email,
      first_name,
      last_name,
      full_name: `${first_name} ${last_name}`,
      security_role_id: role?.id,
    }
    const reply = await ask('POST', '/user', { body })
    assert.equal(reply.status, 201, reply.text)
  }
}
