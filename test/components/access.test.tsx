/** What a user may do with a record and why, as administrators ask it; and what a list says that does not have all records. */
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { AccessExplanation } from '../../console/api/admin/explain.ts'
import { adminProject } from '../support/console/an-admin-project.ts'
import { namedRole } from '../support/definitions/files.ts'
import { type Asked, type Given, pageOf } from './support/answers.ts'
import { finds, foundOf } from './support/given.ts'
import { type Opening, openConsole } from './support/open-console.tsx'
import { adria } from './support/orders.ts'
import { link } from './support/parts.ts'
import { see, sent } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const { 'entities/order.json': order } = adminProject
const groupOfUser = { $in: { $caller: 'groups.user_group' } }
const projectWhere = (permissions: object) => ({
  ...adminProject,
  'entities/order.json': {
    ...order,
    fields: [
      ...order.fields,
      { key: 'team', name: 'Team', type: 'manyToOne', entity: 'user_group' },
    ],
  },
  ...namedRole('Reader', {
    order: { read: true, ...permissions },
    customer: { read: true },
    user_group: { read: true },
  }),
})
const reading = (read: object) => ({ conditions: { read } })
const ofTeam = reading({ $or: [{ team: groupOfUser }, { approver: { $caller: 'id' } }] })

const criterion = { depth: 1, kind: 'criterion', isMet: false } as const
const refused = { granted: true, may: false, reason: 'not readable', criteria: [] } as const
const explanation: AccessExplanation = {
  user: { id: 2, full_name: 'Ana Test' },
  refused: null,
  step: { key: 'draft', name: 'Draft', final: false },
  may: {
    read: false,
    update: false,
    delete: false,
    export: false,
    tasks: false,
    comments: false,
    internalComments: false,
    takeOwnership: false,
    anonymise: false,
    purge: false,
  },
  roles: [
    {
      key: 'reader',
      name: 'Reader',
      rights: [
        {
          right: 'read',
          granted: true,
          may: false,
          reason: 'criteria not met',
          criteria: [
            { depth: 0, kind: 'or', isMet: false, where: null, ofRecord: [], ofUser: [] },
            {
              ...criterion,
              where: { team: groupOfUser },
              ofRecord: [{ path: 'team', value: 7 }],
              ofUser: [{ path: 'groups.user_group', value: [8] }],
            },
            {
              ...criterion,
              where: { approver: { $eq: { $caller: 'id' } } },
              ofRecord: [{ path: 'approver', value: null }],
              ofUser: [{ path: 'id', value: 2 }],
            },
          ],
        },
        { right: 'update', ...refused },
      ],
      actions: [
        { key: 'submit', name: 'Submit', ...refused, granted: false, reason: 'not granted' },
      ],
      hiddenFields: ['total'],
      readOnlyFields: [],
    },
  ],
}

const users = ['Administrator', 'Ana Test'].map((name, at) => ({ id: at + 1, full_name: name }))
const groups = [
  { id: 7, code: 'north', name: 'North' },
  { id: 8, code: 'south', name: 'South' },
]

const search = ({ query }: Asked): Given => {
  const words = (query.get('q') ?? '').toLowerCase()
  const found = users.filter(({ full_name: name }) => name.toLowerCase().includes(words))
  return finds(...found.map(({ id, full_name: name }) => foundOf('user', id, name, 'full_name')))
}

const open = (address: string, options: Partial<Opening> = {}) =>
  openConsole(address, {
    project: projectWhere(ofTeam),
    records: {
      order: [{ id: 1, number: 'O-1', customer_id: 1, _step: 'draft' }],
      customer: adria,
      ...(options.role === undefined && { user: users }),
      user_group: groups,
    },
    answers: {
      'POST /api/access/explain': { body: explanation },
      'GET /api/search': search,
      'GET /order/1/notified': pageOf([]),
    },
    ...options,
  })

const rowsOf = (name: string) =>
  page
    .getByRole('table', { name })
    .getByRole('row')
    .elements()
    .map((row) => [...row.querySelectorAll('td')].map(({ textContent }) => textContent))
    .slice(1)

test('administrators see from a record what a user may do with it, and the values that decide', async () => {
  const service = await open('/order/1')
  await link('Who may do what?').click()
  await see(page.getByText('Choose a record and a user'))
  await page.getByRole('combobox', { name: 'User' }).fill('Ana')
  await page.getByRole('option', { name: 'Ana Test' }).click()
  await see(page.getByText('Ana Test may not read this record.'))
  expect(rowsOf('Role: Reader')).toEqual([
    ['Read', 'Yes', 'No', 'The criteria are not met.'],
    ['Change', 'Yes', 'No', 'The user may not read the record.'],
    ['Submit', 'No', 'No', 'The role does not grant it.'],
  ])
  await see(page.getByText('Hidden fields: Total'))
  await see(page.getByText('South'))
  expect(rowsOf('Criteria: Read')).toEqual([
    ['At least one of these:', '', '', 'No'],
    [
      'Team is one of Groups › User group of the user',
      'TeamNorth',
      'Groups › User groupSouth',
      'No',
    ],
    ['Approver is the user', 'Approvernothing', 'ID2', 'No'],
  ])
  expect(sent(service, 'POST /api/access/explain')).toEqual([
    { entityKey: 'order', entityId: 1, userId: 2 },
  ])
  expect(await findViolations()).toEqual([])
})

const hidesTotal = { ...reading({ total: { $gte: 5 } }), hiddenFields: ['total'] }

test.for([
  [
    ofTeam,
    'en-GB',
    '1 record, only where any of (Team is one of your Groups › User group; Approver is you)',
  ],
  [reading({ number: { $null: false } }), 'en-GB', '1 record, only where Number is not empty'],
  [hidesTotal, 'en-GB', '1 record, only those that you may read'],
  [{ read: 'own' }, 'en-GB', '1 record, only those that you may read'],
  [{}, 'en-GB', '1 record'],
  [
    reading({ customer: { $readable: true } }),
    'de-DE',
    '1 Datensatz, nur wenn Customer ist für Sie lesbar',
  ],
] as const)(
  'a list says in words which records it has: %o',
  async ([permissions, locale, said]) => {
    await open('/order', { project: projectWhere(permissions), role: 'reader', locale })
    await expect
      .poll(() =>
        page
          .getByRole('status')
          .elements()
          .map(({ textContent }) => textContent),
      )
      .toContain(said)
    expect(await findViolations()).toEqual([])
  },
)

test.for([
  [ofTeam, true],
  [reading({ approver: { $caller: 'id' } }), false],
] as const)(
  'an empty list says that a value of the user may be missing: %o',
  async ([read, isSaid]) => {
    await open('/order', { project: projectWhere(read), role: 'reader', records: { order: [] } })
    await see(page.getByText('There are no records yet.'))
    const said = page.getByText(
      'depends on values of your own. If one is missing, ask an administrator.',
    )
    expect(said.elements()).toHaveLength(isSaid ? 1 : 0)
  },
)
