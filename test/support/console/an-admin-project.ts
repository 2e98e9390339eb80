/** The project of orders with notifications of groups, conditions and fields, and with roles that may do less. */

import { namedRole } from '../definitions/files.ts'
import { orderProject } from './an-order-project.ts'

const { workflow, ...order } = orderProject['entities/order.json']

export const adminProject = {
  ...orderProject,
  'entities/order.json': {
    ...order,
    workflow,
    notifications: [
      {
        operation: 'proceedToStep',
        action: 'submit',
        recipient: { userFields: ['approver'], userGroups: ['buyers'] },
        content: { title: '{{ record.number }} waits', message: '{{ actor.full_name }} asks.' },
      },
      {
        operation: 'proceedToStep',
        action: 'submit',
        condition: { total: { $gte: '1000.00' } },
        recipient: { userGroups: ['buyers'] },
        content: { title: 'Large order {{ record.number }}' },
      },
      { operation: 'create', recipient: { userFields: ['_created_by'] } },
    ],
  },
  ...namedRole(
    'Clerk',
    {
      order: {
        create: true,
        read: true,
        update: 'own',
        actions: ['submit'],
        hiddenFields: ['terms'],
        readOnlyFields: ['contact'],
      },
      customer: { read: true },
    },
    { description: 'Enters orders.' },
  ),
  'roles/guest.json': { key: 'guest', name: 'Guest', permissions: { customer: { read: true } } },
}
